import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import { countText } from '../../view/text.ts';
import type { Html, ViewContext } from './view.ts';
import { action } from './action.ts';
import { sourceLink, ticketLink } from './links.ts';
import { table } from './table.ts';
import { change, short } from './text.ts';
import { age } from './time.ts';

type Held = Result<'held.list'>;

/** Shows what is held, with what a person may decide of it: to publish it, or to forget it. */
export function heldTable(context: ViewContext, { together, values }: Pick<Held, 'together' | 'values'>): Html {
  const { now } = context;
  return html`${
    together.length === 0
      ? ''
      : table(
          'Held together',
          together,
          [
            ['Held', (each) => html`${countText(each.count, 'record')} ${togetherText(each)}`],
            ['Source', ({ source }) => sourceLink(source)],
            ['Since', ({ since }) => age(since, now)],
            ['Ticket', ({ ticket }) => (ticket === undefined ? '' : ticketLink(ticket))],
            ['', ({ source, target, type, field }) => decisions(context, source, { target, type, field })],
          ],
          '',
        )
  }
  ${
    values.length === 0
      ? ''
      : table(
          'Held values',
          values,
          [
            [
              'Field',
              ({ type, key, field }) =>
                html`${short(type, 30)}.${short(field, 40)} <span class="note">${short(key, 40)}</span>`,
            ],
            ['Source', ({ source }) => sourceLink(source)],
            ['Now and read', (held) => change(held.old, held.new)],
            ['Why', ({ kind }) => kind],
            ['Since', ({ observedAt }) => age(observedAt, now)],
            ['Ticket', ({ ticket }) => (ticket === undefined ? '' : ticketLink(ticket))],
            ['', ({ source, type, key, field }) => decisions(context, source, { type, key, field })],
          ],
          '',
        )
  }`;
}

function togetherText({ kind, type = '', field = '' }: Held['together'][number]): Html | string {
  if (kind === 'missing') return 'missing';
  return html`whose ${short(type, 30)}.${short(field, 40)} ${kind === 'empty' ? 'became empty' : 'is unusual'}`;
}

/** What a decision is about, besides the source; at least one part of it. */
interface Place {
  readonly target?: number | undefined;
  readonly type?: string | undefined;
  readonly key?: string | undefined;
  readonly field?: string | undefined;
}

function decisions(context: ViewContext, source: string, place: Place): Html {
  const given = Object.entries(place).filter(([, value]) => value !== undefined);
  const params = { source, ...Object.fromEntries(given) };
  const words = [source, ...(place.key === undefined ? [] : [place.key])];
  const options = given.flatMap(([name, value]) => (name === 'key' ? [] : [`--${name}`, String(value)]));
  return html`<div class="actions">
    ${action(context, { method: 'held.release', params, label: 'Release', done: 'Released.', cli: ['held', 'release', ...words, ...options] })}
    ${action(context, { method: 'held.reject', params, label: 'Reject', done: 'Rejected.', cli: ['held', 'reject', ...words, ...options] })}
  </div>`;
}
