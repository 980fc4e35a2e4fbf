import type { Terminal } from './terminal.ts';
import { plainText } from './text.ts';

/** Formats the parts of two texts that were compared: `[-old-]` in red, `{+new+}` in green. */
export function diffText(
  terminal: Terminal,
  parts: readonly { readonly kind: string; readonly text: string }[],
): string {
  return parts
    .map(({ kind, text }) => {
      const shown = screenText(text);
      if (kind === 'removed') return terminal.paint('red', `[-${shown}-]`);
      return kind === 'added' ? terminal.paint('green', `{+${shown}+}`) : shown;
    })
    .join(' ');
}

/** A page's text without characters that could steer the terminal. */
export function screenText(text: string): string {
  return text
    .split('\n')
    .map((line) => plainText(line))
    .join('\n');
}
