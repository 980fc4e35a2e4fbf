import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import { action } from './action.ts';
import type { Html, ViewContext } from './view.ts';

/** A search that finds all projects. Forms leave out what is empty. */
export const everything = '""';

/** The mark of a project with changes that the viewer has not viewed, and of such a change. */
export const unviewedMark: Html = html`<span class="status unviewed">unviewed</span>`;

/** The form that notes all projects of a search as viewed, as they are on the page. */
export function viewAll(context: ViewContext, query: string): Html | '' {
  return action(context, {
    method: 'viewing.add',
    params: { query: query === '' ? everything : query, upTo: context.lastEvent },
    label: 'Mark all that match as viewed',
    done: 'Their changes are viewed.',
    cli: ['viewed', '--search', query],
  });
}

/**
 * The form that notes a project as viewed, which a script sends once the page is looked at; nothing where there is nothing to note. That the page is asked for notes
 * nothing: browsers load pages ahead, and each tab asks for its page again when the project changes, whether anybody looks at it or not.
 */
export function viewOne(context: ViewContext, project: string, { unviewed }: Result<'viewing.get'>): Html | '' {
  if (unviewed !== true) return '';
  const { lastEvent } = context;
  const form = action(context, {
    method: 'viewing.add',
    params: { ids: [project], upTo: lastEvent },
    label: 'Mark as viewed',
    done: 'Its changes are viewed.',
    cli: ['viewed', project],
  });
  return form === ''
    ? ''
    : html`<div id="unviewed" class="actions" data-project="${project}" data-up-to="${String(lastEvent)}">
        ${unviewedMark} ${form}
      </div>`;
}
