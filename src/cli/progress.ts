import { durationText } from './duration.ts';
import type { Terminal } from './terminal.ts';

/** Awaits work, and says on the error stream that it goes on when it takes more than a second. */
export async function withProgress<T>(
  terminal: Terminal,
  doing: string | (() => string),
  work: Promise<T>,
): Promise<T> {
  const startedAt = terminal.now();
  const timer = setInterval(() => {
    const told = typeof doing === 'string' ? doing : doing();
    terminal.passing(`${told} … ${durationText(terminal.now() - startedAt)}`);
  }, 1_000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    terminal.passing('');
  }
}
