import { resolve } from 'node:path';
import { Command } from 'commander';
import type { TryView } from '../../control/methods/source.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { durationText } from '../duration.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { pairOption } from '../options.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText, countText, plainText, valueText } from '../text.ts';

interface Options {
  readonly param?: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly sources: string;
}

/** `try`: shows what a definition reads on a page. */
export function tryCommand(terminal: Terminal): Command {
  return new Command('try')
    .description("show what a source's definition reads on one page; nothing is stored")
    .argument('<source>', 'the source')
    .argument('[url]', 'the page')
    .option('-p, --param <name=value>', "what fills the source's address pattern; may be repeated", pairOption)
    .option('--file <page>', 'read this saved page instead of asking for it; needs no daemon')
    .option('--sources <folder>', 'with --file: the folder of definitions', 'sources')
    .addHelpText(
      'after',
      examples(
        'heronry try kickfund https://kickfund.example/projects/solar',
        'heronry try kickfund --param slug=solar --json',
        'heronry try kickfund https://kickfund.example/projects/solar --file solar.html',
      ),
    )
    .action(async (source: string, url: string | undefined, options: Options, command: Command) => {
      const asked = askedPage(url, options.param);
      if (options.file !== undefined) {
        const { trySavedPage } = await import('../saved-page.ts');
        const sourcesFolder = resolve(terminal.cwd, options.sources);
        const found = await trySavedPage({
          source,
          sourcesFolder,
          page: resolve(terminal.cwd, options.file),
          ...asked,
        });
        return finish(terminal, command, found);
      }
      return withDaemon(terminal, command, async (client) => {
        finish(terminal, command, await client.call('source.try', { id: source, ...asked }));
      });
    });
}

function askedPage(
  url: string | undefined,
  params: Options['param'],
): { url?: string; params?: Record<string, string> } {
  if ((url === undefined) === (params === undefined)) {
    throw new CommandError(exitStatus.usage, 'try: expected either a URL or --param');
  }
  return { ...(url !== undefined && { url }), ...(params && { params }) };
}

function finish(terminal: Terminal, command: Command, found: TryView): void {
  print(terminal, command, found, () => showTried(terminal, found));
  const { failure } = found;
  if (failure) throw new CommandError(exitStatus.failed, `try: ${failure.code}: ${plainText(failure.message)}`);
}

function showTried(
  terminal: Terminal,
  { url, status, elapsedMs, bytes, drafts, finished, absent, unparsed, steps }: TryView,
): string {
  const facts = [
    ...(status === undefined ? [] : [String(status)]),
    ...(bytes === undefined ? [] : [bytesText(bytes)]),
    ...(elapsedMs === undefined ? [] : [durationText(elapsedMs)]),
    ...(finished ? ['says it is finished'] : []),
  ];
  const rows = drafts.flatMap(({ type, key, fields }) =>
    Object.entries(fields).map(([name, value]) => [type, plainText(key), name, valueText(value)]),
  );
  return [
    `${plainText(url)}  ${facts.join(', ')}`.trimEnd(),
    ...redirectLines(steps),
    ...(rows.length > 0 ? [table(terminal, ['RECORD', 'KEY', 'FIELD', 'VALUE'], rows, 'headed')] : []),
    ...absent.map((field) => terminal.paint('yellow', `${field}: no selector matched`)),
    ...unparsed.map(({ record, field, text, expected }) =>
      terminal.paint('yellow', `${record}.${field}: expected ${expected}, got "${plainText(text)}"`),
    ),
  ].join('\n');
}

/** How the page was come by, where it is not the one that was asked for. */
function redirectLines(steps: TryView['steps']): string[] {
  const redirects = steps.filter(({ decision }) => decision === 'follow').length;
  return redirects === 0 ? [] : [`after ${countText(redirects, 'redirect')} from ${plainText(steps[0]?.url ?? '')}`];
}
