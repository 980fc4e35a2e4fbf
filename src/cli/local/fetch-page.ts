import type { Command } from 'commander';
import { ControlError } from '../../control/error.ts';
import type { TryView } from '../../control/methods/source.ts';
import { withDaemon } from '../cli.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../text.ts';
import type { HeldPage } from './page.ts';

/** Has the daemon ask for a page, in its turn, and keeps it; throws where there is none to keep. */
export async function fetchPage(
  terminal: Terminal,
  command: Command,
  asked:
    | { readonly id: string; readonly url: string }
    | { readonly id: string; readonly params: Record<string, string> },
): Promise<HeldPage> {
  let found: TryView | undefined;
  await withDaemon(terminal, command, async (client) => {
    found = await client.call('source.try', { ...asked, keep: true });
  });
  const { page, failure, url = '' } = found ?? {};
  if (page === undefined) {
    const why = failure
      ? `${failure.code}: ${plainText(failure.message)}`
      : 'it has more than 8 MiB: save it, and give its file';
    throw new CommandError(exitStatus.failed, `${plainText(url)}: no page to keep: ${why}`);
  }
  const { body, contentType, fetchedAt } = page;
  return { body: Buffer.from(body, 'base64'), url, fetchedAt, ...(contentType !== undefined && { contentType }) };
}

/** Has the daemon ask for a page that belongs to no source yet. */
export async function peekPage(terminal: Terminal, command: Command, asked: string): Promise<HeldPage> {
  let page: HeldPage | undefined;
  await withDaemon(terminal, command, async (client) => {
    const { url, body, contentType, fetchedAt } = await client.call('source.peek', { url: asked }).catch(refused);
    page = { body: Buffer.from(body, 'base64'), url, fetchedAt, ...(contentType !== undefined && { contentType }) };
  });
  if (page === undefined) throw new CommandError(exitStatus.failed, `${plainText(asked)}: no page came`);
  return page;
}

/** A page that could not be had is a failure of the site, and no conflict with what the daemon knows. */
function refused(error: unknown): never {
  if (!(error instanceof ControlError) || error.code !== 'conflict') throw error;
  throw new CommandError(exitStatus.failed, error.message, { cause: error });
}
