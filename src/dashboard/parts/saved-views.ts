import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import { plainText } from '../../view/text.ts';
import { action } from './action.ts';
import { short } from './text.ts';
import type { Html, ViewContext } from './view.ts';

/** The searches that a viewer has saved, and the form that saves the present one. */
export function savedViews(context: ViewContext, views: Result<'view.list'>['views'], query: string): Html {
  return html`<nav class="views" aria-label="Saved views">
    <a class="label" href="projects?q=changes%3Aunviewed">Unviewed changes</a>
    ${views.map(
      (view) =>
        html`<span class="view"
          ><a class="label" href="projects?${new URLSearchParams({ q: view.query }).toString()}"
            >${short(view.name, 40)}</a
          >
          ${removal(context, view.name)}</span
        >`,
    )}
    ${query.trim() === '' ? '' : saving(context, query)}
  </nav>`;
}

function removal(context: ViewContext, view: string): Html | '' {
  return action(context, {
    method: 'view.delete',
    params: { view },
    label: html`<span aria-hidden="true">×</span>
      <span class="unseen">Remove the view ${plainText(view.slice(0, 60))}</span>`,
    done: 'The view is removed.',
    cli: ['views', '--remove', view],
  });
}

function saving(context: ViewContext, query: string): Html | '' {
  return action(context, {
    method: 'view.add',
    params: { query },
    label: 'Save this search',
    done: 'The search is saved as a view.',
    cli: ['views', { option: '--add', input: 'name', empty: 'NAME' }, '--search', query],
    inputs: html`<label>as <input name="name" required maxlength="60" size="16" autocomplete="off" /></label>`,
  });
}
