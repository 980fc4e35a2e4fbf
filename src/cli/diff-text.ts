import { markedWords } from '../view/changed-text.ts';
import type { DiffPart } from '../view/text-diff.ts';
import type { Terminal } from './terminal.ts';
import { plainText } from '../view/text.ts';

/** Formats the parts of two texts that were compared: `[-old-]` in red, `{+new+}` in green. */
export function diffText(terminal: Terminal, parts: readonly DiffPart[]): string {
  return parts
    .map(({ kind, text }) => {
      const shown = markedWords({ kind, text: screenText(text) });
      return kind === 'same' ? shown : terminal.paint(kind === 'removed' ? 'red' : 'green', shown);
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
