import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import type { Ending } from './own-server.ts';

/** A mail as it arrived, its lines unfolded and not decoded. */
export interface ArrivedMail {
  readonly to: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A mail server in this process, on loopback, which `mailer` may use with the password `hunter22`. */
export interface MailServer {
  readonly url: string;
  /** What was accepted, in order. */
  readonly mails: readonly ArrivedMail[];
  /** Sets the status with which recipients are refused from now on; `undefined` for none. */
  refuse(status: number | undefined): void;
}

/** Opens a mail server that ends with the test. */
export async function openMailServer(t: Ending): Promise<MailServer> {
  const mails: ArrivedMail[] = [];
  let refusal: number | undefined;
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    // The certificate that it would show is for nobody.
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    // Clients may keep their connections.
    closeTimeout: 10,
    onAuth({ username, password }, _session, done) {
      const isRight = username === 'mailer' && password === 'hunter22';
      done(isRight ? null : new Error(`no user with ${password}`), isRight ? { user: username } : undefined);
    },
    onRcptTo(_address, _session, done) {
      done(refusal === undefined ? null : Object.assign(new Error('not this one'), { responseCode: refusal }));
    },
    onData(stream, session, done) {
      let raw = '';
      stream.setEncoding('utf8').on('data', (part: string) => (raw += part));
      stream.on('end', () => {
        mails.push(
          mailIn(
            raw,
            session.envelope.rcptTo.map(({ address }) => address),
          ),
        );
        done();
      });
    },
  });
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  return { url: `smtp://127.0.0.1:${address.port}`, mails, refuse: (status) => void (refusal = status) };
}

function mailIn(raw: string, to: readonly string[]): ArrivedMail {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':')[0]?.toLowerCase(), line.replace(/^[^:]*: */, '')]),
  );
  return {
    to,
    headers,
    text: raw
      .slice(end + 4)
      .trimEnd()
      .replaceAll('\r\n', '\n'),
  };
}
