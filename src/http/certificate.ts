import type { Clock } from '../clock.ts';

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** The files of a certificate and its key. */
export interface TlsFiles {
  /** Rejects where they cannot be read, or the key may be read by others. */
  read(): Promise<Certificate>;
  /** Called when a changed certificate is in use, or with why it is not. */
  renewed(problem?: unknown): void;
}

/** The time between two looks at the files, in milliseconds. */
const lookMs = 60_000;

/** What keeping a certificate as its files have it needs. */
export interface KeepDeps {
  readonly clock: Clock;
  /** Fires when it need not be kept any more. */
  readonly signal: AbortSignal;
  /** Has further connections use a certificate. Throws where its key is another one's. */
  use(certificate: Certificate): void;
}

/**
 * Looks at the files of a certificate once a minute, and has a server use them when they have changed. Where they cannot be used, it reports why once,
 * and the server keeps the certificate that it has.
 */
export function keepCertificate(
  { read, renewed }: TlsFiles,
  first: Certificate,
  { clock, signal, use }: KeepDeps,
): void {
  let used = textOf(first);
  let told = '';
  let timer = arm();
  signal.addEventListener('abort', () => clock.cancel(timer));

  function arm(): number {
    return clock.at(clock.monotonic() + lookMs, () => {
      void look().then(() => {
        if (!signal.aborted) timer = arm();
      });
    });
  }

  async function look(): Promise<void> {
    try {
      const certificate = await read();
      if (textOf(certificate) === used || signal.aborted) return;
      use(certificate);
      used = textOf(certificate);
      told = '';
      renewed();
    } catch (problem) {
      if (String(problem) === told) return;
      told = String(problem);
      renewed(problem);
    }
  }
}

function textOf({ cert, key }: Certificate): string {
  return cert + key;
}
