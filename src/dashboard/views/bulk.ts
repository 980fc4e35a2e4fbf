import { html } from 'hono/html';
import { countText } from '../../view/text.ts';
import { action } from '../parts/action.ts';
import { type BulkAction, bulkActions } from '../parts/bulk.ts';
import { projectLinks } from '../parts/links.ts';
import { orRefusal } from '../parts/refused.ts';
import { facts, table } from '../parts/table.ts';
import { foreign } from '../parts/text.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';
import { everything } from '../parts/viewed.ts';

/** The most projects that a selection names. */
const mostNamed = 1_000;

/** What would be done to the projects that were selected, or to all that a search finds, with the button that does it. */
export const bulk: View = {
  path: 'bulk',
  async show(context) {
    const { query } = context;
    const title = 'Change many projects';
    const what = query.get('action') ?? '';
    if (!isAction(what)) return { title, body: told(query, 'Choose what to do in the list of projects.') };
    const value = (query.get('value') ?? '').trim();
    if (wantsValue(what) && value === '') return { title, body: valueForm(query, what) };
    const ids = query.getAll('ids').slice(0, mostNamed);
    const isAll = query.get('all') === 'yes';
    if (!isAll && ids.length === 0) return { title, body: told(query, 'Select some projects, or all that match.') };
    const search = query.get('q') ?? '';
    return { title, body: await preview(context, { what, value, ...(isAll ? { search } : { ids }) }) };
  },
};

/** What is to be done, to which projects. */
interface Wanted {
  readonly what: BulkAction;
  readonly value: string;
  readonly ids?: readonly string[];
  readonly search?: string;
}

async function preview(context: ViewContext, wanted: Wanted): Promise<Html> {
  const { what, value, ids, search = '' } = wanted;
  const params = {
    ...(ids === undefined ? { query: search === '' ? everything : search } : { ids }),
    ...paramsOf(what, value),
  };
  const answer = await orRefusal(context.call('project.bulk', { ...params, dryRun: true }));
  if (!answer.ok) return told(context.query, answer.why);
  const { matched, changed, first, unchanged, refused } = answer.result;
  const label = `${bulkActions[what]}${wantsValue(what) ? ` “${value}”` : ''}`;
  return html`${facts([
    ['What', label],
    ['Which', ids === undefined ? (search === '' ? 'all projects' : `all that match “${search}”`) : 'those selected'],
    ['Projects', matched],
    ['Would change', changed],
    ['Unchanged', unchanged || undefined],
    ['Refused', refused.count || undefined],
  ])}
  ${table(
    'Projects that would change',
    first,
    [['Would change', (id) => projectLinks(context, [id])]],
    'No project would change.',
  )}
  ${changed > first.length ? html`<p class="note">and ${String(changed - first.length)} more</p>` : ''}
  ${
    refused.count === 0
      ? ''
      : table(
          'Projects of which it cannot be done',
          refused.first,
          [
            ['Refused', ({ id }) => projectLinks(context, [id])],
            ['Why', ({ why }) => foreign(why)],
          ],
          '',
        )
  }
  ${
    changed === 0
      ? ''
      : action(context, {
          method: 'project.bulk',
          params,
          label: `${label}: ${countText(changed, 'project')}`,
          tone: what === 'archive' ? 'danger' : 'main',
          done: 'Done; the answer says to how many.',
          leadsTo: search === '' ? 'projects' : `projects?${new URLSearchParams({ q: search }).toString()}`,
          cli: [...commandOf(what, value), ...(ids ?? ['--search', search, '--yes'])],
        })
  }
  ${back(context.query)}`;
}

/** Asks for the label or the priority that is missing, and keeps the rest of what was chosen. */
function valueForm(query: URLSearchParams, what: BulkAction): Html {
  const kept = [...query].filter(([name]) => ['q', 'all', 'ids', 'action'].includes(name)).slice(0, mostNamed);
  return html`<form class="action" method="get" action="bulk">
      ${kept.map(([name, text]) => html`<input type="hidden" name="${name}" value="${text}" />`)}
      <label
        >${what === 'multiplier' ? 'Priority' : 'Label'} <input name="value" required maxlength="64" size="16"
      /></label>
      <button>Preview</button>
    </form>
    ${back(query)}`;
}

/** Leads back to the list with what was selected there. */
function back(query: URLSearchParams): Html {
  const kept = [...query]
    .filter(([name, text]) => ['q', 'all', 'ids'].includes(name) && text !== '')
    .slice(0, mostNamed);
  return html`<p><a href="projects?${new URLSearchParams(kept).toString()}">Back to the projects</a></p>`;
}

function paramsOf(what: BulkAction, value: string) {
  switch (what) {
    case 'add-label':
      return { action: 'edit' as const, addLabels: [value] };
    case 'remove-label':
      return { action: 'edit' as const, removeLabels: [value] };
    case 'multiplier':
      return { action: 'edit' as const, multiplier: Number(value) };
    default:
      return { action: what };
  }
}

/** The words of the command that does the same to the projects behind it. */
function commandOf(what: BulkAction, value: string): readonly string[] {
  return wantsValue(what) ? ['edit', `--${what}`, value] : [what];
}

function isAction(text: string): text is BulkAction {
  return Object.hasOwn(bulkActions, text);
}

function wantsValue(what: BulkAction): boolean {
  return what === 'add-label' || what === 'remove-label' || what === 'multiplier';
}

function told(query: URLSearchParams, text: string): Html {
  return html`<div class="outcome error" role="alert">${foreign(text)}</div>
    ${back(query)}`;
}
