import type { Terminal } from './terminal.ts';

/** How this program was called, for commands that a person is told to run next: `npx heronry` where npm's `npx` or `npm exec` started it. */
export function commandName({ env }: Pick<Terminal, 'env'>): string {
  return env['npm_command'] === 'exec' ? 'npx heronry' : 'heronry';
}
