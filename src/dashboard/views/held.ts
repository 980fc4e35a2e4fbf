import { html } from 'hono/html';
import { action } from '../parts/action.ts';
import { filters } from '../parts/filters.ts';
import { heldTable } from '../parts/held.ts';
import { sourceLink } from '../parts/links.ts';
import { more, section } from '../parts/table.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';

/** What was read and is not believed, until a person decides. */
export const held: View = {
  path: 'held',
  async show(context) {
    const { call, query, at } = context;
    const source = query.get('source') ?? '';
    const after = query.get('after') ?? undefined;
    const found = await call('held.list', {
      limit: 50,
      ...(source !== '' && { source }),
      ...(after !== undefined && { after }),
    });
    const isEmpty = found.together.length + found.values.length === 0;
    return {
      title: 'Held',
      live: source === '' ? 'all' : { source },
      body: html`<p class="state">
          What is held was read and is not believed: projects keep the values that they have. To release it publishes it
          as the change that it was when it was read. To reject it forgets it, and the same is not held again until the
          source shows something else.
        </p>
        ${filters('held', {}, [{ name: 'source', label: 'Source', value: source }])}
        ${
          isEmpty
            ? html`<p class="empty">
                ${source === '' ? 'Nothing is held.' : html`Nothing is held of ${sourceLink(source)}.`}
              </p>`
            : html`${heldTable(context, found)} ${more(at, 'after', found.next)}`
        }
        ${source === '' || isEmpty ? '' : allOf(context, source)}`,
    };
  },
};

/** The decisions on all that is held of a source, which may be more than a page shows. */
function allOf(context: ViewContext, source: string): Html {
  const params = { source, all: true };
  return section(
    'all',
    `All of ${source}`,
    html`<div class="actions">
      ${action(context, {
        method: 'held.release',
        params,
        label: 'Release all',
        done: 'All that was held of it is published.',
        cli: ['held', 'release', source, '--all'],
        confirm: `Publishes every value that is held of ${source}, and has all records that are held as missing told as missing.`,
      })}
      ${action(context, {
        method: 'held.reject',
        params,
        label: 'Reject all',
        done: 'All that was held of it is forgotten.',
        cli: ['held', 'reject', source, '--all'],
        confirm: `Forgets every value that is held of ${source}. The current values stay.`,
        tone: 'danger',
      })}
    </div>`,
  );
}
