import { html } from 'hono/html';
import type { MetricPoint } from '../../control/methods/metric.ts';
import type { ProjectView } from '../../control/methods/project.ts';
import { countText } from '../../view/text.ts';
import { action, typed } from '../parts/action.ts';
import { bulkForm, foundText, picker } from '../parts/bulk.ts';
import { addressOfUnnamed, labelLinks, labelQuery, projectLink, sourceLink } from '../parts/links.ts';
import { type Refused, orRefusal } from '../parts/refused.ts';
import { savedViews } from '../parts/saved-views.ts';
import { sparkline } from '../parts/sparkline.ts';
import { status } from '../parts/status.ts';
import { more, table } from '../parts/table.ts';
import { figure, foreign, short } from '../parts/text.ts';
import { age, due } from '../parts/time.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';
import { unviewedMark, viewAll } from '../parts/viewed.ts';

/** The projects of a page, and the span of time that their sparklines show, in milliseconds, with the most points of each. */
const shown = 50;
const [sparkMs, sparkPoints] = [30 * 86_400_000, 50];

/** The course of a metric, and its newest point. */
interface Course {
  readonly metric?: MetricPoint;
  readonly points: readonly { readonly at: number; readonly value: number }[];
}

/** A project as the list has it. */
interface Listed extends Course {
  readonly project: ProjectView;
}

/** The list of projects, with search, and the form that adds one. */
export const projects: View = {
  path: 'projects',
  async show(context) {
    const { call, query, now, at } = context;
    const text = query.get('q') ?? '';
    const after = query.get('after') ?? undefined;
    const [answer, saved] = await Promise.all([
      orRefusal(call('project.search', { query: text, limit: shown, ...(after !== undefined && { after }) })),
      orRefusal(call('view.list', {})),
    ]);
    if (!answer.ok) return { title: 'Projects', body: refusal(answer) };
    const { projects: found, total, next, unviewed = [] } = answer.result;
    const rows = await Promise.all(
      found.map(async (project) => ({ project, ...(await mainMetric(context, project)) })),
    );
    const chosen = new Set(query.getAll('ids'));
    const canChange = context.viewer.can('project.bulk');
    return {
      title: 'Projects',
      live: 'all',
      body: html`${addForm(context)}
        <div id="results">
          <p class="unseen" role="status">${foundText(total)}</p>
          ${saved.ok ? savedViews(context, saved.result.views, text) : ''} ${howToSearch} ${feedLink(text, found)}
          <div class="actions">
            ${found.length === 0 ? '' : bulkForm(context, text, total)}
            ${unviewed.length === 0 ? '' : viewAll(context, text)}
          </div>
          ${table(
            'Projects',
            rows,
            [
              ...(canChange
                ? [['Select', ({ project }: Listed) => picker(project, chosen.has(project.id))] as const]
                : []),
              [
                'Project',
                ({ project }) =>
                  html`${projectLink(project.id, project.name)}
                    <div class="note">${secondName(project)}</div>`,
              ],
              [
                'State',
                ({ project }) => html`${stateOf(project)} ${unviewed.includes(project.id) ? unviewedMark : ''}`,
              ],
              ['Sources', ({ project: { targets } }) => sourcesOf(targets)],
              [
                'Main metric',
                ({ metric, points }) =>
                  metric === undefined
                    ? ''
                    : html`${figure(metric.value)} ${sparkline(points, now)}
                        <span class="note">${short(metric.metric, 40)}</span>`,
                { isNumber: true },
              ],
              ['Verified', ({ project: { targets } }) => verified(targets, now)],
              ['Next turn', ({ project: { targets } }) => nextTurn(targets, now)],
              ['Labels', ({ project: { labels } }) => labelLinks(labels.slice(0, 4), 24)],
            ],
            text === ''
              ? 'No project is tracked yet. Add the address of a page above.'
              : 'No project is found by this search.',
          )}
          ${more(at, 'after', next)}
        </div>`,
    };
  },
};

/** A link to the feed of a label, where a search is for that label alone and finds something. */
function feedLink(query: string, found: readonly ProjectView[]): Html | '' {
  const label = found[0]?.labels.find((each) => labelQuery(each) === query.trim());
  if (label === undefined) return '';
  return html`<p><a href="feeds/labels/${encodeURIComponent(label)}.atom">Atom feed of ${short(label, 40)}</a></p>`;
}

function addForm(context: ViewContext): Html | '' {
  const was = (field: string): string => typed(context, 'project.add', field);
  const form = action(context, {
    method: 'project.add',
    label: 'Add',
    tone: 'main',
    done: 'Tracked from now on.',
    leadsTo: 'projects/{id}',
    cli: [
      'add',
      { input: 'id' },
      { option: '--url', input: 'targets.url', empty: 'URL' },
      { option: '--name', input: 'name' },
      { option: '--source', input: 'targets.source' },
      { option: '--label', input: 'labels' },
    ],
    inputs: html`<label
        >Address
        <input type="url" name="targets.url" value="${was('targets.url')}" required placeholder="https://…" size="40"
      /></label>
      <label>Name <input name="name" value="${was('name')}" maxlength="200" /></label>
      <label>Id <input name="id" value="${was('id')}" maxlength="128" placeholder="chosen for you" /></label>
      <label
        >Source
        <input name="targets.source" value="${was('targets.source')}" maxlength="64" placeholder="found by the address"
      /></label>
      <label>Label <input name="labels" value="${was('labels')}" maxlength="64" /></label>`,
  });
  if (form === '') return '';
  return html`<details class="add" ${was('targets.url') === '' ? '' : 'open'}>
    <summary>Add a project</summary>
    ${form}
  </details>`;
}

const searchWords = html`Words find projects by id, name, label and address; <code>source:shop</code>,
  <code>label:acme</code>, <code>state:late</code> and <code>changes:unviewed</code> narrow the list, and quotes keep
  words together.`;

const howToSearch = html`<details class="note">
  <summary>How to search</summary>
  ${searchWords}
</details>`;

/** What is wrong with a search, and how one is written. */
function refusal({ why, issues }: Refused): Html {
  const ofQuery = issues.find(({ path }) => path === 'query');
  return html`<div class="outcome error" role="alert">${foreign(ofQuery?.message ?? why)}</div>
    <p class="note">${searchWords}</p>`;
}

/** The first metric of a project with its course; what has none is listed without. */
async function mainMetric(context: ViewContext, { id, metrics }: ProjectView): Promise<Course> {
  const metric = Object.keys(metrics ?? {})[0];
  return metric === undefined ? { points: [] } : courseOf(context, { project: id, metric }, sparkMs, sparkPoints);
}

/** Asks for a metric over a span of time that ends now, in at most so many points. The point that held at the beginning stands there. */
export async function courseOf(
  { call, now }: ViewContext,
  of: { readonly project: string; readonly metric: string },
  spanMs: number,
  limit: number,
): Promise<Course> {
  const since = now - spanMs;
  const { points } = await call('metric.series', { ...of, since, limit, thin: true });
  const metric = points.at(-1);
  const drawn = points.flatMap((point) => numberAt({ ...point, at: Math.max(point.at, since) }));
  return { ...(metric && { metric }), points: drawn };
}

/** The number of a point, of which an amount of money has one too. */
function numberAt({ at, value }: MetricPoint): { readonly at: number; readonly value: number }[] {
  const number =
    typeof value === 'object' && value !== null && 'amount' in value
      ? Number(value.amount)
      : Number(value ?? Number.NaN);
  return Number.isFinite(number) ? [{ at, value: number }] : [];
}

/** The address of a project without a name of its own; the id of one that has a name. */
function secondName(project: ProjectView): Html {
  return short(addressOfUnnamed(project) ?? (project.name === project.id ? '' : project.id));
}

function stateOf({ status: state, targets }: ProjectView): Html {
  const conditions = new Set(
    targets.flatMap((target) => [...(target.status === 'parked' ? ['parked'] : []), ...target.conditions]),
  );
  return html`${status(state)} ${Array.from(conditions, (condition) => html`${status(condition)} `)}`;
}

function sourcesOf(targets: ProjectView['targets']): Html {
  const sources = [...new Set(targets.map(({ source }) => source))];
  return html`${sources.slice(0, 3).map((id) => html`${sourceLink(id)} `)}${sources.length > 3 ? `+${sources.length - 3}` : ''}
  ${targets.length > sources.length ? html`<span class="note">${countText(targets.length, 'target')}</span>` : ''}`;
}

/** The oldest success of its targets: how old what is shown of a project may be. */
function verified(targets: ProjectView['targets'], now: number): Html | string {
  const successes = targets.map(({ lastSuccessAt }) => lastSuccessAt ?? 0);
  const oldest = Math.min(...successes);
  return targets.length === 0 || oldest === 0 ? 'never' : age(oldest, now);
}

function nextTurn(targets: ProjectView['targets'], now: number): Html | '' {
  const next = Math.min(...targets.flatMap(({ dueAt }) => dueAt ?? []));
  return Number.isFinite(next) ? due(next, now) : '';
}
