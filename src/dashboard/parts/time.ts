import { html } from 'hono/html';
import { ageText, dueText } from '../../time-text.ts';
import type { Html } from './view.ts';

/** Shows how long ago an instant was, or how far ahead it is. A script puts the clock of the viewer's zone into the title, and lets the age go on. */
export function age(at: number, now: number): Html {
  return timeOf(at, ageText(at, now), 'age');
}

/** Shows when something is due: `in 2h`; `due` where that has passed. */
export function due(at: number, now: number): Html {
  return timeOf(at, dueText(at, now), 'due');
}

/** Shows an instant by the clock: of UTC, until a script has put that of the viewer's zone in its place. */
export function clock(at: number): Html {
  return timeOf(at, utcText(at), 'clock');
}

function timeOf(at: number, text: string, form: 'age' | 'due' | 'clock'): Html {
  return html`<time datetime="${new Date(at).toISOString()}" title="${utcText(at)}" data-form="${form}">${text}</time>`;
}

/** Formats an instant by the clock of UTC, where a text cannot be that of the viewer's zone. */
export function utcText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
