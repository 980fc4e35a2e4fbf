import { changedWords } from '../view/changed-text.ts';
import { diffText } from './diff-text.ts';
import type { DiffPart } from '../view/text-diff.ts';
import { showChange } from './show-change.ts';
import { cutAt, width } from './table.ts';
import type { Terminal } from './terminal.ts';
import { valueText } from '../view/text.ts';

/** Formats a change as `showChange` does, in at most `room` places: what surrounds the first difference goes first, then the ends of both sides, of the old one before the new one. */
export function cutChange(terminal: Terminal, change: unknown, room: number): string {
  const whole = showChange(terminal, change);
  if (width(whole) <= room || typeof change !== 'object' || change === null) return cutAt(whole, room);
  if (!('old' in change) || !('new' in change)) return cutAt(whole, room);
  // What is told whole where it has room is told by its words where it has none.
  const words = changedWords(change.old, change.new, { least: 0 });
  const first = words?.findIndex(({ kind }) => kind !== 'same') ?? -1;
  if (words === undefined || first === -1) {
    const arrow = ' → ';
    return cutBoth(valueText(change.old), valueText(change.new), room - arrow.length).join(arrow);
  }
  const behind = words.findIndex(({ kind }, index) => index > first && kind === 'same');
  const end = behind === -1 ? words.length : behind;
  const core = words.slice(first, end);
  const shown = diffText(terminal, core);
  if (width(shown) > room) return cutCore(terminal, core, room);
  return withContext(shown, diffText(terminal, words.slice(0, first)), diffText(terminal, words.slice(end)), room);
}

/** Cuts words that went and words that came, each within its marks. */
function cutCore(terminal: Terminal, core: readonly DiffPart[], room: number): string {
  const marks = core.length * 4 + core.length - 1;
  const textOf = (wanted: DiffPart['kind']): string =>
    core
      .filter(({ kind }) => kind === wanted)
      .map(({ text }) => text)
      .join(' … ');
  const [removed, added] = cutBoth(textOf('removed'), textOf('added'), Math.max(2, room - marks));
  const parts: readonly DiffPart[] = [
    { kind: 'removed', text: removed },
    { kind: 'added', text: added },
  ];
  return diffText(
    terminal,
    parts.filter(({ text }) => text !== ''),
  );
}

/** Cuts two texts to `room` places together. The newer one gets two thirds where both are too long. */
function cutBoth(older: string, newer: string, room: number): [older: string, newer: string] {
  const forNewer = Math.max(Math.ceil((room * 2) / 3), room - width(older));
  const shown = width(newer) <= forNewer ? newer : cutAt(newer, forNewer);
  const left = Math.max(1, room - width(shown));
  return [older === '' ? '' : cutAt(older, left), shown];
}

/** Puts as much around a change as has room: half of it before, more where less stands behind. */
function withContext(shown: string, before: string, after: string, room: number): string {
  const left = room - width(shown);
  const forBefore = Math.max(Math.floor(left / 2), left - width(after) - 1);
  const begin = before === '' ? '' : endOf(`${before} `, forBefore);
  const rest = left - width(begin);
  const end = after === '' || rest < 2 ? '' : cutAt(` ${after}`, rest);
  return `${begin}${shown}${end}`;
}

/** The end of a text that has room, behind `…` where there is more before it. */
function endOf(text: string, room: number): string {
  if (width(text) <= room) return text;
  const letters = Array.from(text);
  let from = letters.length;
  while (from > 0 && width(letters.slice(from - 1).join('')) < room) from -= 1;
  return room < 2 ? '' : `…${letters.slice(from).join('')}`;
}
