import { Command } from 'commander';
import type { Result } from '../../control/methods.ts';
import { callAndPrint, examples, helpGroups } from '../cli.ts';
import { defined } from '../../defined.ts';
import { durationText } from '../../time-text.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText, countText } from '../../view/text.ts';

type Status = Result<'vault.status'>;

/** `vault`: shows how many pages are kept as evidence. */
export function createCommand(terminal: Terminal): Command {
  return new Command('vault')
    .helpGroup(helpGroups.daemon)
    .description('show the pages that are kept as evidence of what changed: how many, how large, of which sources')
    .argument('[source]', 'only this source')
    .addHelpText('after', examples('heronry vault', 'heronry vault shop --json'))
    .action((source: string | undefined, _options: object, command: Command) =>
      callAndPrint(terminal, command, ['vault.status', defined({ source })], (status) => showStatus(terminal, status)),
    );
}

function showStatus(terminal: Terminal, status: Status): string {
  const { limits, waiting, dropped, sources } = status;
  const kept = limits && `kept for ${durationText(limits.keepMs)}, up to ${bytesText(limits.maxBytes)}`;
  const lines = [`${countText(status.pages, 'page')}, ${bytesText(status.bytes)}; ${kept ?? 'no more are kept'}`];
  if (waiting > 0) lines.push(terminal.paint('yellow', `${countText(waiting, 'page')} wait for room on the disk`));
  if (dropped > 0) lines.push(terminal.paint('red', `${countText(dropped, 'page')} were dropped for want of room`));
  if (sources.length === 0) return lines.join('\n');
  const rows = table(terminal, sources, [
    ['SOURCE', ({ source }) => source],
    ['PAGES', ({ pages }) => String(pages)],
    ['PACKS', ({ packs }) => String(packs)],
    ['BYTES', ({ bytes }) => bytesText(bytes)],
    ['EACH', ({ bytes, pages }) => bytesText(Math.round(bytes / Math.max(1, pages)))],
  ]);
  return [...lines, '', rows].join('\n');
}
