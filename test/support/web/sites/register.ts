import { trialAt, trialCount, trialId, trialsUpdated, type Trial } from '../../../../src/demo/facts/trial.ts';
import { csvText } from '../csv.ts';
import { html, type Markup } from '../../../../src/demo/html.ts';
import { pageNumber, sliceOf, type Answer, type Site, type Visit } from '../site.ts';

const pageSize = 25;
const recentSize = 10;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/**
 * A register of trials: `/register/trials?from=2026-01-01&to=2026-01-31&page=2` lists those last updated in a window of days,
 * `/register/export.csv?from=…&to=…` gives all of a window at once, `/register/recent` the newest ten, `/register/trial/<id>` one.
 */
export const register: Site = {
  prefix: 'register',
  disallow: [],
  answer(visit) {
    const [area, id, ...rest] = visit.path;
    if (rest.length > 0) return undefined;
    if (area === 'trial' && id !== undefined) return detail(visit, id);
    if (id !== undefined) return undefined;
    if (area === 'trials') return list(visit);
    if (area === 'export.csv') return exported(visit);
    return area === undefined || area === '' || area === 'recent' ? recent(visit) : undefined;
  },
  *paths(world, at) {
    yield 'recent';
    for (let number = trialCount(world, at) - 1; number >= 0; number -= 1) yield `trial/${trialId(number)}`;
  },
};

/** The days of a query, today by default; nothing for texts that are no days. */
function windowOf({ at, query }: Visit): { readonly from: string; readonly to: string } | undefined {
  const today = new Date(at).toISOString().slice(0, 10);
  const [from, to] = [query.get('from') ?? today, query.get('to') ?? today];
  return dayPattern.test(from) && dayPattern.test(to) ? { from, to } : undefined;
}

function exported(visit: Visit): Answer | undefined {
  const { world, at } = visit;
  const window = windowOf(visit);
  if (window === undefined) return undefined;
  const trials = trialsUpdated(world, at, window.from, window.to).flatMap((id) => trialAt(world, id, at) ?? []);
  const columns = [
    'id',
    'title',
    'sponsor',
    'phase',
    'status',
    'enrolment',
    'conditions',
    'registered',
    'updated',
    'start',
  ];
  const rows = trials.map((trial) => [
    ...[trial.id, trial.title, trial.sponsor, trial.phase, trial.status, trial.enrolment],
    ...[trial.conditions.join(', '), trial.registered, trial.updated, trial.start],
  ]);
  const modifiedAt = Math.max(world.openedAt, ...trials.map((trial) => trial.modifiedAt));
  return { kind: 'text', type: 'text/csv; charset=utf-8', body: csvText(columns, rows), modifiedAt };
}

function list(visit: Visit): Answer | undefined {
  const { world, at, query } = visit;
  const window = windowOf(visit);
  if (window === undefined) return undefined;
  const { from, to } = window;
  const slice = sliceOf(trialsUpdated(world, at, from, to), pageNumber(query), pageSize);
  if (slice === undefined) return undefined;
  const next =
    slice.next === undefined
      ? undefined
      : `/register/trials?${new URLSearchParams({ from, to, page: String(slice.next) }).toString()}`;
  return table(
    { world, at },
    `Trials updated from ${from} to ${to}`,
    slice.items,
    next === undefined ? undefined : html`<a class="next" rel="next" href="${next}">More</a>`,
  );
}

function recent({ world, at }: Visit): Answer {
  const count = trialCount(world, at);
  return table(
    { world, at },
    'Newest trials',
    Array.from({ length: recentSize }, (_, index) => trialId(count - 1 - index)),
  );
}

function table(
  { world, at }: Pick<Visit, 'world' | 'at'>,
  title: string,
  ids: readonly string[],
  more?: Markup,
): Answer {
  const trials = ids.map((id) => trialAt(world, id, at)).filter((trial) => trial !== undefined);
  return {
    kind: 'page',
    title,
    modifiedAt: Math.max(world.openedAt, ...trials.map(({ modifiedAt }) => modifiedAt)),
    main: html`<h1>${title}</h1>
      <table class="trials">
        ${trials.map(
          (trial) =>
            html`<tr class="trial">
              <td><a class="id" href="/register/trial/${trial.id}">${trial.id}</a></td>
              <td class="title">${trial.title}</td>
              <td class="status">${trial.status}</td>
              <td class="updated">${trial.updated}</td>
            </tr>`,
        )}
      </table>
      ${more}`,
  };
}

function detail({ world, at }: Visit, id: string): Answer | undefined {
  const trial = trialAt(world, id, at);
  if (trial === undefined) return undefined;
  return {
    kind: 'page',
    title: `${id}: ${trial.title}`,
    modifiedAt: trial.modifiedAt,
    main: html`<article class="trial">
      <h1 class="title">${trial.title}</h1>
      <p class="id">${id}</p>
      <dl>${rows(trial)}</dl>
    </article>`,
  };
}

function rows(trial: Trial): Markup[] {
  const row = (name: string, term: string, value: string | number | readonly Markup[]) =>
    html`<dt>${term}</dt>
      <dd class="${name}">${value}</dd>`;
  return [
    row('sponsor', 'Sponsor', trial.sponsor),
    row('phase', 'Phase', trial.phase),
    row('status', 'Status', trial.status),
    row('enrolment', 'Enrolment', trial.enrolment),
    row(
      'conditions',
      'Conditions',
      trial.conditions.map((condition) => html`<span class="condition">${condition}</span> `),
    ),
    row('results', 'Results posted', trial.hasResults ? 'Yes' : 'No'),
    row('registered', 'Registered', trial.registered),
    row('updated', 'Last updated', trial.updated),
    row('start', 'Start of recruitment', trial.start),
  ];
}
