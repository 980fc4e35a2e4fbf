import type { Transporter } from 'nodemailer';
import * as z from 'zod';
import { SecretName } from '../../schema/secret-name.ts';
import { strict } from '../../schema/strict.ts';
import { decoded } from '../../schema/decoded.ts';
import { revealServer, serverAddress } from '../address.ts';
import { type Embed, embedsOf } from '../discord.ts';
import { Connection } from '../connection.ts';
import { cancelled } from '../failure.ts';
import type { Delivered, Message, SinkKind, SinkPorts } from '../sink.ts';
import { fillText, TextTemplate } from '../template.ts';
import { cutText } from '../text.ts';
import { templateValues } from '../values.ts';

/** The address of a mailbox, perhaps behind a name: `Heronry <heronry@example.org>`. */
const Mailbox = z
  .string()
  .max(320)
  .regex(/^(?:[^<>@,;\r\n]* <)?[^\s<>@,;]+@[^\s<>@,;]+>?$/, 'expected an address of e-mail');

const Options = strict({
  /** The server that takes the mail: `smtps:` for TLS from the start, `smtp:` for TLS once it is connected. */
  url: serverAddress(['smtp', 'smtps']),
  /** The secret that is the password of the URL's user. */
  password: SecretName.exactOptional(),
  from: Mailbox,
  to: z.union([Mailbox.transform((address) => [address]), z.array(Mailbox).min(1).max(50)]),
  /** A template. Default: the name of the record and the type of the event. */
  subject: TextTemplate.exactOptional(),
  /** A template. Default: what the message tells, in lines. */
  text: TextTemplate.exactOptional(),
  /** Whether mail may be sent without TLS to a server that is not on this machine. */
  allowPlain: z.boolean().default(false),
});
type Options = z.infer<typeof Options>;

/** Limits of a connection, in real time. */
const limits = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

/** The longest subject and text, in characters. */
const most = { subject: 200, text: 1_000_000 };

/** Sends each message as an e-mail of plain text. */
export const email: SinkKind<Options> = {
  options: Options,
  doc: 'Sends each message as an e-mail of plain text by SMTP. A `digest` makes one of many events.',
  templates: ({ subject, text }) => [subject, text],
  async open(options, ports) {
    const server = new Connection(
      (address) => transportTo(new URL(address), options),
      (transport) => Promise.resolve(transport.close()),
    );
    return {
      async deliver(batch, signal) {
        const revealed = await revealServer(ports, options);
        if (!revealed.ok) return batch.map(() => revealed);
        const transport = await server.to(revealed.url.href);
        const aborted = untilAborted(signal);
        try {
          return await Promise.all(
            batch.map((message) => Promise.race([send(message, transport, revealed.hide), aborted.promise])),
          );
        } finally {
          aborted.stop();
        }
      },
      close: () => server.close(),
    };

    async function send(message: Message, transport: Transporter, hide: (text: string) => string): Promise<Delivered> {
      try {
        await transport.sendMail(mailOf(message, options, ports));
        return { ok: true };
      } catch (error) {
        return { ok: false, failure: failureOf(error, hide) };
      }
    }
  },
};

async function transportTo(url: URL, { allowPlain }: Options): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const isOwn = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return createTransport({
    pool: true,
    maxConnections: 2,
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(url.port) || (url.protocol === 'smtps:' ? 465 : 587),
    secure: url.protocol === 'smtps:',
    requireTLS: !isOwn && !allowPlain,
    ...(url.username !== '' && {
      auth: { user: decoded(url.username), pass: decoded(url.password) },
    }),
    ...limits,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function mailOf(message: Message, { from, to, subject, text }: Options, ports: SinkPorts) {
  const values = templateValues(message, ports);
  const told = subject === undefined || text === undefined ? embedsOf(message, ports) : [];
  return {
    from,
    to,
    subject: oneLine(subject === undefined ? subjectOf(message, told) : fillText(subject, values, message.at)),
    text: cutText(text === undefined ? told.map(linesOf).join('\n\n') : fillText(text, values, message.at), most.text),
    date: new Date(message.at),
    // The same in each attempt, so that a mailbox can tell a repetition.
    messageId: `<${message.id}.${ports.sink}@heronry>`,
    headers: { 'auto-submitted': 'auto-generated' },
  };
}

function linesOf({ title, description, url, fields = [] }: Embed): string {
  const lines = [title, description, url, ...fields.map(({ name, value }) => `  ${name}: ${value}`)];
  return lines.filter((line) => line !== undefined).join('\n');
}

function subjectOf({ type }: Message, told: readonly Embed[]): string {
  return told.length > 1 ? `${told.length} events` : (told[0]?.title ?? type);
}

function oneLine(text: string): string {
  return cutText(text.replaceAll(/\s+/g, ' ').trim(), most.subject);
}

/** Why a server did not take a mail. A permanent refusal is final, but a failed log-in may be mended and is tried again. */
function failureOf(error: unknown, hide: (text: string) => string) {
  const { code = 'mail', responseCode: status, response, message } = error as Partial<SmtpError>;
  const isFinal = status !== undefined && status >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  const text =
    code === 'ETLS' ? 'no TLS: it needs `allowPlain: true` in the sink' : (response ?? message ?? String(error));
  return {
    code: code.toLowerCase(),
    message: hide(`the mail server did not take the message: ${text}`),
    ...(status !== undefined && { status }),
    ...(isFinal && { isFinal }),
  };
}

/** What nodemailer throws. */
interface SmtpError extends Error {
  readonly code: string;
  readonly responseCode: number;
  readonly response: string;
}

function untilAborted(signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<Delivered>();
  const abort = (): void => resolve(cancelled);
  signal.addEventListener('abort', abort, { once: true });
  return { promise, stop: () => signal.removeEventListener('abort', abort) };
}
