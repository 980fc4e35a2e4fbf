import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import { countText, plainText } from '../../view/text.ts';
import type { Html, ViewContext } from './view.ts';

/** What can be done to many projects, by the names that the form gives. */
export const bulkActions = {
  rescrape: 'Rescrape',
  archive: 'Archive',
  restore: 'Restore',
  'add-label': 'Add the label',
  'remove-label': 'Remove the label',
  multiplier: 'Set the priority',
} as const;

export type BulkAction = keyof typeof bulkActions;

const form = 'bulk';

/** A box that selects a project of a list for the form of `bulkForm`; `isChosen` where a person comes back with a selection. */
export function picker({ id, name }: { readonly id: string; readonly name: string }, isChosen: boolean): Html {
  return html`<input
    type="checkbox"
    id="pick-${id}"
    form="${form}"
    name="ids"
    value="${id}"
    aria-label="Select ${plainText(name.slice(0, 60))}"
    ${isChosen ? html`checked` : ''}
  />`;
}

/** How many projects a search finds, in words. */
export function foundText({ isExact, count }: Result<'project.search'>['total']): string {
  return `${isExact ? '' : 'at least '}${countText(count, 'project')}`;
}

/** The number of projects that a search finds, and the form that leads to what is to be done to some or all of them; it does nothing by itself. */
export function bulkForm(
  { viewer, query: chosen }: ViewContext,
  query: string,
  total: Result<'project.search'>['total'],
): Html {
  const found = foundText(total);
  if (!viewer.can('project.bulk')) return html`<p class="note">Found: ${found}.</p>`;
  return html`<form class="action" id="${form}" action="bulk" method="get" aria-label="Change many projects">
    <input type="hidden" name="q" value="${query}" />
    <label
      ><input
        type="checkbox"
        id="pick.all"
        name="all"
        value="yes"
        ${chosen.get('all') === 'yes' ? html`checked` : ''}
      />
      All that match (${found})</label
    >
    <label
      >Do
      <select name="action">
        ${Object.entries(bulkActions).map(([name, label]) => html`<option value="${name}">${label}</option>`)}
      </select></label
    >
    <label>Label or priority <input name="value" maxlength="64" size="12" /></label>
    <button>Preview</button>
  </form>`;
}
