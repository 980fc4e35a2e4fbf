import { html } from 'hono/html';
import { writtenText } from '../../time-text.ts';
import type { Html } from './view.ts';

/** The spans of time for which a person can pause or snooze something, in milliseconds. */
const spans = [
  ['1 hour', 3_600_000],
  ['8 hours', 28_800_000],
  ['1 day', 86_400_000],
  ['7 days', 604_800_000],
] as const;

/** The options of an input `forMs`: the spans of time that a person can choose, as commands have them too. */
export function spanOptions(chosenMs: number | undefined): Html[] {
  return spans.map(
    ([name, ms]) =>
      html`<option value="${String(ms)}" data-cli="${writtenText(ms)}" ${ms === chosenMs ? html`selected` : ''}>
        ${name}
      </option>`,
  );
}
