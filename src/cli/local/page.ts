import type { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import { ControlError } from '../../control/error.ts';
import type { MethodInput } from '../../control/methods.ts';
import type { TryView } from '../../control/methods/source.ts';
import type { Source } from '../../definition/source.ts';
import { defined } from '../../defined.ts';
import { ageText } from '../../time-text.ts';
import { globalOptions, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { holdText } from '../../view/host-text.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../../view/text.ts';

/** The largest saved page that is read, which is also the limit of a fetched page. */
const maxPageBytes = 32 * 1024 * 1024;

/** A page that was read from a file or fetched by the daemon. */
export interface HeldPage {
  readonly body: Uint8Array;
  /** The address of the page, by which its links are resolved. */
  readonly url: string;
  readonly contentType?: string;
  /** Wall time at which the page was fetched. */
  readonly fetchedAt?: number;
  /** For a page that items of a list lead to: the type of their records. */
  readonly itemType?: string;
}

/** Returns a page that the daemon has kept as evidence. Rejects with a `ControlError` where there is none of that digest. */
export async function keptPage(client: Client, digest: string): Promise<HeldPage> {
  const { page, body } = await client.call('page.get', { digest });
  const { url, contentType, itemType, observedAt: fetchedAt } = page;
  return { body: Buffer.from(body, 'base64'), url, fetchedAt, ...defined({ contentType, itemType }) };
}

/** Reads a saved page. Rejects with a `CommandError` where it is no regular file or too large. */
export async function readPageFile(path: string): Promise<Uint8Array> {
  const { readRegularFile } = await import('../../definition/file.ts');
  const page = await readRegularFile(path, maxPageBytes);
  if (page.ok) return page.bytes;
  throw new CommandError('failed', `${path}: ${page.message}`);
}

/**
 * Returns the address of a saved page: the given one, the one that parameters make, the source's only one, or else
 * an invalid one. Throws a `CommandError` for wrong parameters.
 */
export async function addressOf(
  { url: pattern }: Source,
  asked: { readonly url?: string | undefined; readonly params?: Readonly<Record<string, string>> | undefined },
): Promise<string> {
  if (asked.url !== undefined) return asked.url;
  const { fillUrl, placeholdersOf } = await import('../../definition/url-pattern.ts');
  if (pattern === undefined) {
    if (asked.params === undefined) return nowhere;
    throw new CommandError('usage', 'the source has no address pattern: give a URL');
  }
  if (asked.params === undefined && placeholdersOf(pattern).length > 0) return new URL('/', pattern).href;
  const filled = fillUrl(pattern, asked.params ?? {});
  if (filled.ok) return filled.url;
  const told = [
    ...filled.missing.map((name) => `missing parameter "${name}"`),
    ...filled.unknown.map((name) => `unknown parameter "${name}"`),
  ];
  throw new CommandError('usage', told.join(', '));
}

const nowhere = 'https://saved-page.invalid/';

/** The time, in milliseconds, after which it is told what a page waits for. */
const tellAfterMs = 2_000;

/**
 * Has the daemon read a page by a source's definition. If the page takes longer than two seconds, prints on the error stream when its
 * host can be asked, and why not sooner. Rejects as the call of `source.try` does.
 */
export async function tryPage(
  terminal: Terminal,
  command: Command,
  client: Client,
  asked: MethodInput<'source.try'>,
): Promise<TryView> {
  const isJson = globalOptions(command).json ?? false;
  // The call of `source.try` fails for the same reason, and tells it.
  const timer = setTimeout(() => void (isJson || tellWait().catch(() => {})), tellAfterMs);
  try {
    return await client.call('source.try', asked);
  } finally {
    clearTimeout(timer);
  }

  async function tellWait(): Promise<void> {
    const key = URL.parse(asked.url ?? '')?.origin;
    const [host] = key === undefined ? [] : (await client.call('host.list', { key })).hosts;
    const now = terminal.now();
    const turn =
      host?.nextAt === undefined || host.nextAt <= now ? '' : `, which can be asked ${ageText(host.nextAt, now)}`;
    const why = host?.hold === undefined ? '' : ` (${holdText(host.hold)})`;
    terminal.err(`waiting for a turn at ${key ?? 'its host'}${turn}${why}, or for the answer`);
  }
}

/** Has the daemon fetch a page of a source in the host's turn. Rejects with a `CommandError` where there is no page. */
export async function fetchPage(
  terminal: Terminal,
  command: Command,
  asked:
    | { readonly id: string; readonly url: string }
    | { readonly id: string; readonly params: Record<string, string> },
): Promise<HeldPage> {
  let found: TryView | undefined;
  await withDaemon(terminal, command, async (client) => {
    found = await tryPage(terminal, command, client, { ...asked, keep: true });
  });
  const { page, failure, url = '' } = found ?? {};
  if (page === undefined) {
    const why = failure
      ? `${failure.code}: ${plainText(failure.message)}`
      : 'it has more than 8 MiB: save it, and give its file';
    throw new CommandError('failed', `${plainText(url)}: no page to keep: ${why}`);
  }
  const { body, contentType, fetchedAt } = page;
  return { body: Buffer.from(body, 'base64'), url, fetchedAt, ...defined({ contentType }) };
}

/** Has the daemon fetch a page that belongs to no source yet. Rejects with a `CommandError` where there is no page. */
export async function peekPage(terminal: Terminal, command: Command, asked: string): Promise<HeldPage> {
  let page: HeldPage | undefined;
  await withDaemon(terminal, command, async (client) => {
    const { url, body, contentType, fetchedAt } = await client.call('source.peek', { url: asked }).catch(refused);
    page = { body: Buffer.from(body, 'base64'), url, fetchedAt, ...defined({ contentType }) };
  });
  if (page === undefined) throw new CommandError('failed', `${plainText(asked)}: no page came`);
  return page;
}

/**
 * Turns the `conflict` of a page that could not be fetched into a failure: the site failed, and nothing conflicts
 * with what is stored.
 */
function refused(error: unknown): never {
  if (!(error instanceof ControlError) || error.code !== 'conflict') throw error;
  throw new CommandError('failed', error.message, { cause: error });
}
