import type { Terminal } from '../terminal.ts';
import { cutText, plainText, valueText } from '../text.ts';
import type { Difference } from './differences.ts';

/** As much of a value as tells how it differs. */
const valueLength = 300;

/** One difference on one line: `~ product S1 price: 12 EUR → 13 EUR`. */
export function differenceLine(terminal: Terminal, difference: Difference): string {
  const { record, key, field, before, after } = difference;
  const name = `${record} ${plainText(key)}`;
  if (field === undefined)
    return before === undefined
      ? terminal.paint('green', `+ ${name}: ${shown(after)}`)
      : terminal.paint('red', `- ${name}: ${shown(before)}`);
  return terminal.paint('yellow', `~ ${name} ${field}: ${sideText(before)} → ${sideText(after)}`);
}

function sideText(value: unknown): string {
  return value === undefined ? 'nothing' : shown(value);
}

function shown(value: unknown): string {
  return cutText(value === '' ? '""' : valueText(value), valueLength);
}
