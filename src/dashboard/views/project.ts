import { sightWithoutScrape } from '../../view/sight.ts';
import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import type { MetricView } from '../../control/methods/metric.ts';
import type { ProjectView } from '../../control/methods/project.ts';
import { action } from '../parts/action.ts';
import { fieldChanges, heldMark } from '../parts/changes.ts';
import { chart, marksLegend } from '../parts/chart.ts';
import { addressOfUnnamed, labelLinks, scrapeLink, sourceLink, targetLabel } from '../parts/links.ts';
import { recordTables } from '../parts/records.ts';
import { scrapeTable, scrapeTimeline } from '../parts/scrapes.ts';
import { orRefusal } from '../parts/refused.ts';
import type { Marks } from '../parts/sparkline.ts';
import { status } from '../parts/status.ts';
import { facts, more, section, table } from '../parts/table.ts';
import { figure, foreign, link, short } from '../parts/text.ts';
import { ticketMarks } from '../parts/tickets.ts';
import { age, clock, due } from '../parts/time.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';
import { unviewedMark, viewOne } from '../parts/viewed.ts';
import { diffPath } from './diff.ts';
import { courseOf } from './projects.ts';

/** How many records, changes and scrapes are shown at first. */
const [shownRecords, shownChanges, shownScrapes] = [50, 30, 20];

/** The span of time of the charts, in milliseconds, the most points of each, and how many scrapes are marked on them. */
const [chartMs, chartPoints, markedScrapes] = [90 * 86_400_000, 400, 300];

/** The fields of a target that are told as not readable. */
const shownUnread = 3;

/** One project: its figures over all its sources, its records, how they changed, and its scrapes. */
export const project: View = {
  path: 'projects/:id',
  async show(context) {
    const { call, place, query, now, at } = context;
    const id = place('id');
    const before = query.get('before') ?? undefined;
    const view = await call('project.get', { id });
    const [metrics, records, history, { scrapes }, viewing] = await Promise.all([
      call('metric.list', { project: id }),
      call('project.records', { id, limit: shownRecords, ...after(query.get('records')) }),
      call('project.history', { id, limit: shownChanges, ...(before !== undefined && { before }) }),
      call('scrape.list', { project: id, limit: markedScrapes }),
      orRefusal(call('viewing.get', { id })),
    ]);
    const viewed = viewing.ok ? viewing.result : {};
    const latest = scrapes.slice(0, shownScrapes);
    const address = addressOfUnnamed(view);
    return {
      title: address === undefined ? view.name : `${view.name}, ${address}`,
      heading: html`${foreign(view.name)}
      ${status(view.status)}${address === undefined ? '' : html` <span class="note">${short(address)}</span>`}`,
      live: { project: id },
      body: html`<div class="actions">${actions(context, view)}</div>
        ${viewOne(context, id, viewed)}
        ${facts([
          ['Id', view.id],
          ['Labels', view.labels.length === 0 ? undefined : labelLinks(view.labels, 40)],
          ['Priority', view.multiplier === 1 ? undefined : `× ${view.multiplier}`],
          ['Tracked since', clock(view.createdAt)],
        ])}
        ${metrics.metrics.length + metrics.problems.length === 0 ? '' : section('figures', 'Figures', await figures(context, id, metrics, marksOf(scrapes, history.changes)))}
        ${section('sources', 'Sources', targets(context, view))}
        ${section('records', 'Records', html`${recordTables(records.records, now)} ${more(at, 'records', records.next, 'More records')}`, records.records.length === 0 ? '' : html`<a href="projects/${encodeURIComponent(id)}/records.csv" download>Download CSV</a>`)}
        ${section('changes', 'Changes', html`${changes(id, history.changes, { now, viewedUpTo: viewed.upTo })} ${more(at, 'before', history.next, 'Older changes')}`, html`<a href="feeds/projects/${encodeURIComponent(id)}.atom">Atom feed</a>`)}
        ${section('scrapes', 'Scrapes', html`${scrapeTimeline(latest, now)} ${scrapeTable(context, latest, 'It has not been scraped yet.')}`)}`,
    };
  },
};

/** What the last scrape of a target could not read, as sentences. */
function unread({ lastScrape }: ProjectView['targets'][number]): string[] {
  const texts = (lastScrape?.unparsed ?? []).map(
    ({ record, field, text, expected }) => `${record}.${field}: expected ${expected}, got ${text}`,
  );
  return [...new Set(texts)].slice(0, shownUnread);
}

function after(cursor: string | null) {
  return cursor === null ? {} : { after: cursor };
}

function actions(context: ViewContext, { id, status: state }: ProjectView): Html {
  const params = { id };
  return html`${
      state === 'archived'
        ? action(context, {
            method: 'project.restore',
            params,
            label: 'Restore',
            tone: 'main',
            done: 'Tracked again.',
            cli: ['restore', id],
          })
        : html`${action(context, { method: 'project.rescrape', params, label: 'Rescrape', tone: 'main', done: 'A scrape is asked for.', cli: ['rescrape', id] })}
          ${action(context, { method: 'project.archive', params, label: 'Archive', done: 'Archived: it is not scraped any more, and its data stays.', cli: ['archive', id] })}`
    } <a class="button" href="projects/${encodeURIComponent(id)}/why">Why</a>
    <a class="button" href="projects/${encodeURIComponent(id)}/diff">Differences</a>`;
}

/** The instants of scrapes and changes. Each scrape tells whether it found changes; those of pulses are in the history alone. */
function marksOf(scrapes: Result<'scrape.list'>['scrapes'], history: Result<'project.history'>['changes']): Marks {
  const ended = scrapes.flatMap(({ endedAt, counts: { added, changed } }) =>
    endedAt === undefined ? [] : [{ endedAt, isChange: added + changed > 0 }],
  );
  return {
    scrapes: ended.map(({ endedAt }) => endedAt),
    changes: [
      ...ended.filter(({ isChange }) => isChange).map(({ endedAt }) => endedAt),
      ...history.filter((change) => change.scrape === 0).map(({ at }) => at),
    ],
  };
}

async function figures(
  context: ViewContext,
  id: string,
  { metrics, problems }: Result<'metric.list'>,
  marks: Marks,
): Promise<Html> {
  const { now } = context;
  const courses = await Promise.all(
    metrics.slice(0, 12).map(async ({ name }) => {
      const { points } = await courseOf(context, { project: id, metric: name }, chartMs, chartPoints);
      return { name, points };
    }),
  );
  const drawn = courses.filter(({ points }) => points.length > 1);
  return html`${problems.map((problem) => html`<p class="outcome error">${foreign(problem)}</p>`)}
    <div class="cards">${metrics.map((metric) => metricCard(metric, now))}</div>
    ${drawn.map(({ name, points }) => chart(name, points, marks, now))}
    ${drawn.length === 0 ? '' : marksLegend(marks, now)}`;
}

function metricCard({ name, value, reason, stale, verifiedAt, inputs }: MetricView, now: number): Html {
  const sources = Map.groupBy(inputs, ({ source }) => source);
  return html`<div class="card ${stale === undefined ? '' : 'warn'}">
    <span class="name">${short(name, 40)}</span>
    <span class="figure">${reason === undefined ? figure(value) : '–'}</span>
    ${reason === undefined ? '' : html`<span class="note">${foreign(reason.message)}</span>`}
    ${stale === undefined ? '' : html`<span class="note">${status('stale')} ${foreign(stale)}</span>`}
    ${verifiedAt === undefined ? '' : html`<span class="note">verified ${age(verifiedAt, now)}</span>`}
    <ul class="plain note">
      ${Array.from(sources, ([source, of]) => html`<li>${sourceLink(source)} ${age(Math.min(...of.map((input) => input.verifiedAt)), now)}${of.some((input) => input.stale !== undefined) ? html` ${status('stale')}` : ''}</li>`)}
    </ul>
  </div>`;
}

function targets(context: ViewContext, { id, status: own, targets: all }: ProjectView): Html {
  const { now } = context;
  const isArchived = own === 'archived';
  return table(
    'Sources',
    all,
    [
      ['Source', ({ source, target }) => html`${sourceLink(source)} ${targetLabel(target)}`],
      [
        'State',
        ({ status: state, conditions }) =>
          html`${status(isArchived ? own : state)} ${conditions.map((condition) => html`${status(condition)} `)}`,
      ],
      ['Address', ({ url }) => link(url)],
      ['Verified', ({ lastSuccessAt }) => (lastSuccessAt === undefined ? 'never' : age(lastSuccessAt, now))],
      [
        'Next turn',
        ({ dueAt, waiting }) =>
          html`${dueAt === undefined ? '' : due(dueAt, now)}${waiting === undefined ? '' : html` ${status('waiting')}`}`,
      ],
      [
        'Trouble',
        (target) =>
          html`${target.lastError === undefined ? '' : html`<span class="bad">${short(target.lastError.message, 90)}</span>`}
          ${unread(target).map((text) => html`<span class="bad">${short(text, 120)}</span> `)}
          ${target.parked === undefined ? '' : foreign(target.parked.reason)} ${ticketMarks(target.tickets, now) ?? ''}`,
      ],
      [
        '',
        ({ target, status: state }) =>
          isArchived
            ? ''
            : html`<div class="actions">
                ${action(context, { method: 'project.rescrape', params: { id, target }, label: 'Rescrape', done: 'A scrape is asked for.', cli: ['rescrape', id, '--target', String(target)] })}
                ${state === 'parked' ? action(context, { method: 'project.release', params: { id, target }, label: 'Release', done: 'Released.', cli: ['release', id, '--target', String(target)] }) : ''}
              </div>`,
      ],
    ],
    'This project has no target.',
  );
}

/** Shows changes. Those behind `viewedUpTo` have a mark; none has where the viewer has viewed none, as all would. */
function changes(
  id: string,
  all: Result<'project.history'>['changes'],
  { now, viewedUpTo = Infinity }: { readonly now: number; readonly viewedUpTo?: number | undefined },
): Html {
  return table(
    'Changes',
    all,
    [
      ['When', (each) => html`<a href="${diffPath(id, each)}">${age(each.at, now)}</a>`],
      [
        'Record',
        ({ type, key, source }) =>
          html`${short(type, 30)} ${short(key, 60)} <span class="note">${sourceLink(source)}</span>`,
      ],
      [
        'Change',
        ({ kind, corrects, serial, wasHeld }) =>
          html`${status(kind)}${corrects === undefined ? '' : ' corrected'}${wasHeld === true ? heldMark : ''}
          ${serial > viewedUpTo ? unviewedMark : ''}`,
      ],
      ['Fields', ({ fields, kind }) => fieldChanges(fields, kind === 'added' ? 6 : 30)],
      ['Scrape', (by) => sightWithoutScrape(by) ?? scrapeLink(by.scrape)],
    ],
    'Nothing has been read yet.',
  );
}
