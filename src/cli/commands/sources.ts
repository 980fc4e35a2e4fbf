import { Command } from 'commander';
import type { SourceView } from '../../control/methods/source.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { durationText } from '../duration.ts';
import { showStatus } from '../show.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../text.ts';

/** `sources`: the sources and what is wrong with their definitions. */
export function sourcesCommand(terminal: Terminal): Command {
  return new Command('sources')
    .description('list sources and the problems of their definitions')
    .option('--reload', 'read the definition files again before')
    .addHelpText('after', examples('heronry sources', 'heronry sources --reload'))
    .action(({ reload }: { readonly reload?: boolean }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        if (reload) {
          const { changed, removed } = await client.call('source.reload', {});
          terminal.err(`${countText(changed.length, 'source')} changed, ${removed.length} removed`);
        }
        const { sources } = await client.call('source.list', {});
        if (sources.length === 0) terminal.err('no sources: write a definition, then `heronry sources --reload`');
        print(terminal, command, sources, () => showSources(terminal, sources));
      }),
    );
}

function showSources(terminal: Terminal, sources: readonly SourceView[]): string {
  if (sources.length === 0) return '';
  const rows = sources.map((source) => [
    source.id,
    showStatus(terminal, source.status),
    String(source.targets),
    source.everyMs === undefined ? '–' : durationText(source.everyMs),
    source.pulse ? durationText(source.pulse.everyMs) : '–',
    plainText(source.name),
  ]);
  const problems = sources.flatMap((source) => source.problems);
  return [
    table(terminal, ['SOURCE', 'STATUS', 'TARGETS', 'EVERY', 'PULSE', 'NAME'], rows),
    ...problems.map(({ file, line, column, message }) => `${plainText(file)}:${line}:${column}: ${plainText(message)}`),
  ].join('\n');
}
