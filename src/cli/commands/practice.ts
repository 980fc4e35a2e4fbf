import { once } from 'node:events';
import { Command } from 'commander';
import { examples, globalOptions, helpGroups } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { countIn } from '../options.ts';
import type { Terminal } from '../terminal.ts';

/** `practice`: serves small sites to write definitions for, until a signal ends it. */
export function createCommand(terminal: Terminal): Command {
  return new Command('practice')
    .helpGroup(helpGroups.begin)
    .description(
      'serve small sites to practise on, on this machine alone, and print what is posted to /inbox there; docs/guide has them in its examples',
    )
    .option('--port <number>', 'the port that they listen at; 0 for any that is free', countIn(0, 65_535), 7_480)
    .addHelpText('after', examples('heronry practice', 'heronry practice --port 8080'))
    .action(async ({ port }: { readonly port: number }, command: Command) => {
      const { openPracticeWeb } = await import('../../practice/web.ts');
      const web = await openPracticeWeb({ port, received: (body) => terminal.out(body) }).catch((error: unknown) => {
        throw new CommandError('conflict', `practice: expected a free port, got ${port}: --port names another`, {
          cause: error,
        });
      });
      const { json } = globalOptions(command);
      terminal.out(
        json ? JSON.stringify({ url: `${web.origin}/` }) : `practice sites at ${web.origin}/; Ctrl-C ends them`,
      );
      await Promise.race(['SIGINT', 'SIGTERM'].map((name) => once(process, name)));
      await web.close();
    });
}
