import { html } from 'hono/html';
import type { RecordView } from '../../view/record.ts';
import type { Html } from './view.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import { link, short, value } from './text.ts';
import { age } from './time.ts';

/** The most columns of fields; further fields are in the record's own page. */
const mostColumns = 12;

/** Shows records as a table for each type, one a row, with the fields as columns. */
export function recordTables(records: readonly RecordView[], now: number): Html {
  if (records.length === 0) return html`<p class="empty">No record is known yet.</p>`;
  const byType = Map.groupBy(records, ({ type }) => type);
  return html`${Array.from(byType, ([type, of]) => {
    const names = [...new Set(of.flatMap(({ fields }) => Object.keys(fields)))].slice(0, mostColumns);
    return html`<h3>${short(type)}</h3>
      ${table(
        `Records of type ${type}`,
        of,
        [
          [
            'Key',
            ({ key, url, absent }) =>
              html`${short(key, 60)} ${absent === undefined ? '' : status('missing')}
                <span class="note">${link(url)}</span>`,
          ],
          ...names.map((name) => [name, (record: RecordView) => cell(record, name)] as const),
          ['Seen', ({ updatedAt }) => age(updatedAt, now)],
        ],
        '',
      )}`;
  })}`;
}

function cell({ fields, held }: RecordView, name: string): Html {
  const found = fields[name];
  return html`${found === undefined ? '' : value(found.value)}${held?.[name] === undefined ? '' : html` ${status('held')}`}`;
}
