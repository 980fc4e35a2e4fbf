import { hasItemPages } from '../../definition/objective-fields.ts';
import { priorityOfTarget } from '../../definition/effective-schedule.ts';
import { statusFor, statusOf } from '../../store/tables/project-status.ts';
import type { ProjectRow, ScrapeRow, TargetRow } from '../../store/tables/rows.ts';
import type { Store } from '../../store/store.ts';
import { mostCountedPages } from '../../store/tables/item-pages.ts';
import { defined } from '../../defined.ts';
import type { ProjectView } from '../methods/project.ts';
import type { TargetView } from '../methods/target.ts';
import type { ScrapeOfProjects } from '../methods/scrape.ts';
import { ticketsOf } from '../../store/tickets.ts';
import type { TicketMark, TicketView } from '../../view/ticket.ts';
import type { ScrapeView } from '../../view/scrape.ts';
import { othersOf, projectsOf } from '../../schedule/watchers.ts';
import { rowsOf } from './find.ts';
import { seenOf, seenWatchers, type Sight } from './sight.ts';
import type { Ports } from './ports.ts';

/** Returns a project with the state of its targets, as far as a caller sees it. */
export function projectView(
  row: ProjectRow,
  deps: Pick<Ports, 'store' | 'catalogue' | 'sources'>,
  sight: Sight = {},
): ProjectView {
  const store = deps.store();
  const targets = rowsOf(row.targets, store);
  const { schedule: _schedule, ...view } = row;
  return {
    ...view,
    status: statusOf(row, targets),
    targets: targets.map((target) => ({
      ...targetView(row.id, target, store, conditionsOf(target, deps), sight),
      ...leftView(target, deps),
    })),
  };
}

function targetView(
  project: string,
  row: TargetRow,
  store: Store,
  conditions: TargetView['conditions'],
  sight: Sight,
): TargetView {
  const { target, source, url, crashes, waiting } = row;
  const status = statusFor(project, row);
  const schedule = store.schedule.get(target);
  const last = lastScrapeOf(row, store);
  const nextAt = Math.min(schedule?.dueAt ?? Infinity, schedule?.manualAt ?? Infinity);
  const own = row.watchers.find((each) => each.project === project);
  const isAskable = status === 'active' && !conditions.includes('definition_error');
  return {
    target,
    source,
    url,
    status,
    conditions,
    crashes: { total: crashes.total, inRow: crashes.inRow, ...defined({ last: crashes.last }) },
    ...defined({
      everyMs: own?.schedule?.every,
      sinks: own?.sinks,
      others: othersOf(seenWatchers(row, sight, store), project),
      dueAt: isAskable && nextAt < Infinity ? nextAt : undefined,
      gone: row.gone,
      tickets: seenMarks(row, sight, store),
      endsAt: schedule?.endsAt,
      lastScrape: last && scrapeView(last),
      lastSuccessAt: successAt(row, store),
      waiting,
      lastError: last?.failure,
      parked: status === 'parked' ? row.parked : undefined,
    }),
  };
}

/** The newest scrape of a target that began. */
export function lastScrapeOf({ target }: TargetRow, { scrapes }: Pick<Store, 'scrapes'>): ScrapeRow | undefined {
  return [...scrapes.ofTarget(target, { limit: 2 })].find(({ status }) => status !== 'waiting');
}

/** When the last scrape of a target that completed ended, as long as it is kept. */
function successAt({ settled }: TargetRow, { scrapes }: Store): number | undefined {
  const row = scrapes.get(settled);
  return row?.status === 'complete' ? row.endedAt : undefined;
}

/** Returns what is left for later scrapes of a target: parts of its list, and item pages. */
export function leftView(
  row: TargetRow,
  deps: Pick<Ports, 'store' | 'catalogue'>,
): Pick<TargetView, 'gaps' | 'pagesLeft'> {
  const gaps = row.gaps?.map(({ place, since }) => ({ page: place.page, url: place.url, since }));
  return defined({ gaps, pagesLeft: pagesLeft(row, deps) });
}

/** The number of item pages of a target that are still to be read; nothing if there are none. */
function pagesLeft({ target, source }: TargetRow, { store, catalogue }: Pick<Ports, 'store' | 'catalogue'>) {
  const loaded = catalogue().sources.get(source);
  if (loaded === undefined || !hasItemPages(loaded.source)) return undefined;
  return store().itemPages.countToAsk(target, mostCountedPages) || undefined;
}

/**
 * Lists what is wrong with a target besides its status. Reads the store alone and asks no actor, as
 * targets may be many.
 */
export function conditionsOf(
  row: TargetRow,
  { store, catalogue, sources }: Pick<Ports, 'store' | 'catalogue' | 'sources'>,
): TargetView['conditions'] {
  const { target, source, status, settled, gone } = row;
  const session = sources.session(source)?.code;
  const { fresh, rest } = store().schedule.get(target) ?? {};
  const hasNoSession = session === 'not_initialised' || session === 'login_attempts';
  return [
    ...(catalogue().sources.has(source) ? [] : (['definition_error'] as const)),
    ...(hasNoSession || (settled === 0 && status === 'active' && gone === undefined)
      ? (['not_initialised'] as const)
      : []),
    ...(gone === undefined ? [] : (['gone'] as const)),
    ...(store().circuits.get(source)?.state === 'open' ? (['circuit_open'] as const) : []),
    ...(marksOf(row, store()) === undefined ? [] : (['ticket'] as const)),
    ...(fresh !== undefined && rest !== 'set-aside' && store().infeasible.has(fresh)
      ? (['objective_infeasible'] as const)
      : []),
  ];
}

/** The tickets of a target that are not resolved; nothing where there are none. */
export function marksOf(
  { source, target }: TargetRow,
  store: Pick<Store, 'tickets'>,
): readonly TicketMark[] | undefined {
  const marks = ticketsOf(store, { source, member: target }).map(markOf);
  return marks.length === 0 ? undefined : marks;
}

/** The tickets of a target that a caller sees: what they say is of a whole source, so that one that is limited to labels sees none. */
export function seenMarks(row: TargetRow, { labels }: Sight, store: Store): readonly TicketMark[] | undefined {
  return labels === undefined ? marksOf(row, store) : undefined;
}

/** What a target or a source shows of a ticket. */
export function markOf({ ticket, state, openedAt, symptoms, cause }: TicketView): TicketMark {
  return { ticket, state, openedAt, symptoms, ...defined({ cause }) };
}

/** Rounds an instant that may tell fractions, as the wire has whole milliseconds; leaves out a missing one, and one that never comes. */
export function wholeMs(at: number | undefined): number | undefined {
  return at === undefined || at === Infinity ? undefined : Math.round(at);
}

/** Returns a scrape with the projects that watch its target and that a caller sees. */
export function scrapeViewOf(
  row: ScrapeRow,
  store: Pick<Store, 'targets' | 'projects'>,
  sight: Sight = {},
): ScrapeOfProjects {
  const target = store.targets.get(row.target);
  if (target === undefined) return { ...scrapeView(row), projects: [] };
  const projects = seenOf(projectsOf(target), sight, store);
  return { ...scrapeView(row), projects, priority: priorityOfTarget(target) };
}

/** Returns a scrape without what only the store needs. */
export function scrapeView({
  epoch: _epoch,
  spent: _spent,
  only: _only,
  emptied: _emptied,
  told: _told,
  ...view
}: ScrapeRow): ScrapeView {
  return view;
}
