import { html } from 'hono/html';
import { plainText } from '../../view/text.ts';
import { foreign, short } from './text.ts';
import type { Html } from './view.ts';

/** A column: its name, what a row has in it, and whether that is a number. */
export type Column<T> = readonly [
  name: string,
  cell: (row: T) => Html | string | number,
  options?: { readonly isNumber?: boolean },
];

/** Shows rows as a table, which scrolls sideways where it is too wide; or a sentence, where there are none. */
export function table<T>(name: string, rows: readonly T[], columns: readonly Column<T>[], empty: string): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scroll" role="group" aria-label="${plainText(name.slice(0, 100))}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${columns.map(([title, , options]) => html`<th scope="col" ${isNumber(options)}>${title === '' ? html`<span class="unseen">Actions</span>` : short(title, 60)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map(([, cell, options]) => html`<td ${isNumber(options)}>${shown(cell(row))}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A text may be from elsewhere. */
function shown(cell: Html | string | number | undefined): Html | number | undefined {
  return typeof cell === 'string' ? foreign(cell) : cell;
}

function isNumber(options: { readonly isNumber?: boolean } | undefined): Html | '' {
  return options?.isNumber === true ? html`class="number"` : '';
}

/** Shows facts as names and values; those without a value are left out. */
export function facts(pairs: readonly (readonly [name: string, value: Html | string | number | undefined])[]): Html {
  const known = pairs.filter(([, value]) => value !== undefined && value !== '');
  return html`<dl class="facts">
    ${known.map(
      ([name, value]) =>
        html`<div>
          <dt>${short(name, 60)}</dt>
          <dd>${shown(value)}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Shows a section of a page, with a heading that can be linked to. */
export function section(id: string, name: string, body: Html, aside: Html | string = ''): Html {
  return html`<section id="${id}" aria-labelledby="${id}-name">
    <div class="title">
      <h2 id="${id}-name">${short(name, 100)}</h2>
      ${aside}
    </div>
    ${body}
  </section>`;
}

/** A link to the next slice of a list, which begins behind `next`; nothing where the list is at its end. */
export function more(at: string, parameter: string, next: string | number | undefined, text = 'More'): Html | '' {
  if (next === undefined) return '';
  const [path = '', query = ''] = at.split('?');
  const changed = new URLSearchParams(query);
  changed.set(parameter, String(next));
  return html`<p class="more"><a href="${path}?${changed.toString()}" rel="next">${text}</a></p>`;
}
