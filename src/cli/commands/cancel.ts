import { Command } from 'commander';
import { examples, print, withDaemon } from '../cli.ts';
import { countOption } from '../options.ts';
import { showScrapeLine } from '../show-scrape.ts';
import type { Terminal } from '../terminal.ts';

/** `cancel`: ends a scrape. */
export function cancelCommand(terminal: Terminal): Command {
  return new Command('cancel')
    .description('end a waiting or running scrape; nothing of it is written after that')
    .argument('<scrape>', 'its number', countOption)
    .addHelpText('after', examples('heronry cancel 4711'))
    .action((scrape: number, _options: object, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const cancelled = await client.call('scrape.cancel', { scrape });
        print(terminal, command, cancelled, (view) => showScrapeLine(terminal, view));
      }),
    );
}
