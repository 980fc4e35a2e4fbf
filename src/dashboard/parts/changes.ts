import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import { projectLinks, scrapeLink, sourceLink } from './links.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import { change, short } from './text.ts';
import { age } from './time.ts';
import type { Html, ViewContext } from './view.ts';

/** The fields of a change: what each was and what it is. */
type Fields = Readonly<Record<string, { readonly old?: unknown; readonly new?: unknown }>>;

/** Shows how fields of a record changed, up to a number of fields. */
export function fieldChanges(fields: Fields, most: number): Html {
  return html`<dl class="changes">
    ${Object.entries(fields)
      .slice(0, most)
      .map(
        ([name, each]) =>
          html`<div>
            <dt>${short(name, 40)}</dt>
            <dd>${change(each.old, each.new)}</dd>
          </div>`,
      )}
  </dl>`;
}

/** The mark of a change whose value was held until it was released. */
export const heldMark: Html = html` <span class="note">was held</span>`;

type Event = Result<'event.recent'>['events'][number];

/** The fields of a change that are shown in a list of the changes of many projects. */
const mostFields = 6;

/** Shows changes of records of any project, as their events tell them; other events are left out. */
export function changedRecords(context: ViewContext, events: readonly Event[], empty: string): Html {
  return table(
    'Changes',
    events.filter(isOfRecord),
    [
      ['When', ({ at }) => age(at, context.now)],
      ['Project', ({ projects }) => projectLinks(context, projects)],
      [
        'Record',
        ({ data: { type, key }, source }) =>
          html`${short(type, 30)} ${short(key, 60)} <span class="note">${sourceLink(source)}</span>`,
      ],
      [
        'Change',
        ({ type, data }) =>
          html`${status(type.replace('record.', ''))}${'wasHeld' in data && data.wasHeld ? heldMark : ''}`,
      ],
      ['Fields', ({ data }) => ('fields' in data ? fieldChanges(data.fields, mostFields) : '')],
      ['Scrape', ({ scrape }) => (scrape === undefined ? '' : scrapeLink(scrape))],
    ],
    empty,
  );
}

function isOfRecord(event: Event) {
  return (
    event.type === 'record.added' ||
    event.type === 'record.changed' ||
    event.type === 'record.missing' ||
    event.type === 'record.gone' ||
    event.type === 'record.removed'
  );
}
