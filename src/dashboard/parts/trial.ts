import { html } from 'hono/html';
import type { FoundView, InspectedPage } from '../../control/methods/page.ts';
import { action } from './action.ts';
import { section, table } from './table.ts';
import { foreign, short, value } from './text.ts';
import type { Html, ViewContext } from './view.ts';

/** The records whose fields are shown. */
const shownRecords = 20;

/** The types that a field may be given. */
const types = ['text', 'number', 'integer', 'money', 'url', 'date', 'datetime', 'boolean'];

/** Shows what a definition reads from a page: each field with its value and the place that gave it, and what it misses. */
export function foundList({ drafts, absent, unparsed, notes = [], explained, failure }: FoundView): Html {
  return html`${failure === undefined ? '' : html`<p class="outcome error">${foreign(failure.message)}</p>`}
    ${absent.length === 0 ? '' : html`<p class="bad">Not found: ${short(absent.join(', '), 300)}</p>`}
    ${unparsed
      .slice(0, 20)
      .map(
        ({ record, field, text, expected }) =>
          html`<p class="bad">
            ${short(`${record}.${field}`, 80)}: expected ${short(expected, 80)}, got ${short(text, 80)}
          </p>`,
      )}
    ${notes.slice(0, 10).map((note) => html`<p class="note">${foreign(note)}</p>`)}
    <p class="note">${String(drafts.length)} ${drafts.length === 1 ? 'record' : 'records'}</p>
    ${explained.slice(0, shownRecords).map(
      ({ record, key, fields }) =>
        html`<h3>
            ${short(record, 40)} ${key === undefined ? html`<span class="bad">is no record</span>` : short(key, 60)}
          </h3>
          ${table(
            `Fields of ${record}`,
            fields,
            [
              ['Field', ({ name }) => short(name, 40)],
              [
                'Value',
                ({ value: read, lost }) =>
                  html`${read === undefined ? html`<span class="bad">missing</span>` : value(read)}
                  ${lost.slice(0, 3).map(({ text, expected }) => html`<span class="bad">expected ${short(expected, 60)}, got ${short(text, 60)}</span>`)}`,
              ],
              [
                'Rule',
                ({ place }) =>
                  place === undefined
                    ? ''
                    : html`<code
                          >${short(`${place.text}${place.attr === undefined ? '' : ` @${place.attr}`}`, 80)}</code
                        >
                        <span class="note"
                          >${String(place.matches)} ${place.matches === 1 ? 'match' : 'matches'}</span
                        >`,
              ],
            ],
            'The record has no fields.',
          )}`,
    )}
    ${explained.length > shownRecords ? html`<p class="note">… and ${String(explained.length - shownRecords)} more</p>` : ''}`;
}

/** Shows the rules for a place that was chosen, and the form that gives one of them to the definition. */
export function pickedSection(
  context: ViewContext,
  { name, text, rules, isOutside }: NonNullable<InspectedPage['picked']>,
  { id, digest, text: definition }: { readonly id: string; readonly digest: string; readonly text: string | undefined },
): Html {
  const records = [...new Set(rules.map(({ record }) => record))];
  const form =
    definition === undefined
      ? ''
      : html`${records.map((record) =>
          action(context, {
            method: 'page.try',
            params: { source: id, digest, text: definition, 'add.record': record },
            label: `Add to ${record}`,
            tone: 'main',
            done: 'The field is in the text below, which was tried. Nothing is saved.',
            cli: ['try', id, '--kept', digest],
            leadsTo: `sources/${encodeURIComponent(id)}/try?page=${digest}`,
            inputs: html`<label
                >Rule
                <select name="add.rule">
                  ${rules.filter((rule) => rule.record === record).map(({ rule }) => html`<option value="${rule}">${rule}</option>`)}
                </select></label
              >
              <label>Field <input name="add.field" required maxlength="100" pattern="[A-Za-z_][A-Za-z0-9_]*" /></label>
              <label
                >Type
                <select name="add.type">
                  ${types.map((type) => html`<option>${type}</option>`)}
                </select></label
              >`,
          }),
        )}`;
  return section(
    'picked',
    'Chosen',
    html`<p><code>${short(name, 80)}</code> ${foreign(text)}</p>
      ${isOutside ? html`<p class="empty">No record of the definition holds this place.</p>` : ''}
      ${
        rules.length === 0
          ? ''
          : table(
              'Rules',
              rules,
              [
                ['Rule', ({ rule }) => html`<code>${short(rule, 120)}</code>`],
                ['Gives', ({ value: given }) => short(given, 80)],
                ['Matches', ({ matches }) => matches, { isNumber: true }],
                [
                  'Records',
                  ({ found, of, record }) =>
                    html`${String(found)} of ${String(of)} <span class="note">${short(record, 30)}</span>`,
                ],
              ],
              '',
            )
      }
      ${form}`,
  );
}
