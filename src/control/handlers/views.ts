import type { Infeasible } from '../../definition/feasible.ts';
import { areFinished } from '../../store/commit.ts';
import type { EventRow, ProjectRow, ScrapeRow, StepRow, TargetRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { EventView } from '../methods/event.ts';
import type { InfeasibleView } from '../methods/objective.ts';
import type { ProjectView } from '../methods/project.ts';
import type { TargetView } from '../methods/target.ts';
import type { ScrapeView, StepView } from '../methods/scrape.ts';
import type { HandlerDeps } from './deps.ts';

/** A project with all that tells how it fares. */
export function projectView(
  row: ProjectRow,
  deps: Pick<HandlerDeps, 'store' | 'catalogue' | 'sessionOf'>,
): ProjectView {
  const store = deps.store();
  const targets = row.targets.flatMap((number) => store.targets.get(number) ?? []);
  const { id, name, labels, multiplier, createdAt, archivedAt } = row;
  return {
    id,
    name,
    labels,
    multiplier,
    status: statusOf(row, targets),
    createdAt,
    ...(archivedAt !== undefined && { archivedAt }),
    targets: targets.map((target) => targetView(target, store, conditionsOf(target, deps))),
  };
}

/** A project is finished when all targets that it still has are. */
export function statusOf(row: ProjectRow, targets: readonly TargetRow[]): ProjectView['status'] {
  if (row.status === 'archived') return 'archived';
  return areFinished(targets) ? 'finished' : 'active';
}

function targetView(row: TargetRow, store: Store, conditions: TargetView['conditions']): TargetView {
  const { target, source, url, status, crashes, waiting } = row;
  const everyMs = row.schedule?.every;
  const schedule = store.schedule.get(target);
  const [last] = [...store.scrapes.ofTarget(target, { limit: 2 })].filter((scrape) => scrape.status !== 'waiting');
  const parked = status === 'parked' ? row.parked : undefined;
  const nextAt = Math.min(schedule?.dueAt ?? Infinity, schedule?.manualAt ?? Infinity);
  const isAskable = status === 'active' && !conditions.includes('definition_error');
  const dueAt = isAskable && nextAt < Infinity ? nextAt : undefined;
  return {
    target,
    source,
    url,
    ...(everyMs !== undefined && { everyMs }),
    status,
    conditions,
    ...(dueAt !== undefined && { dueAt }),
    ...(last !== undefined && { lastScrape: scrapeView(last) }),
    ...(waiting !== undefined && { waiting }),
    ...(last?.failure !== undefined && { lastError: last.failure }),
    crashes: { total: crashes.total, inRow: crashes.inRow, ...(crashes.last !== undefined && { last: crashes.last }) },
    ...(parked !== undefined && { parked }),
  };
}

/** What keeps a target from being scraped besides its status. Nobody is asked, as there may be very many targets. */
export function conditionsOf(
  { target, source, status, settled }: TargetRow,
  { store, catalogue, sessionOf }: Pick<HandlerDeps, 'store' | 'catalogue' | 'sessionOf'>,
): TargetView['conditions'] {
  const session = sessionOf(source)?.code;
  const { fresh, rest } = store().schedule.get(target) ?? {};
  const hasNoSession = session === 'not_initialised' || session === 'login_attempts';
  return [
    ...(catalogue().sources.has(source) ? [] : (['definition_error'] as const)),
    ...(hasNoSession || (settled === 0 && status === 'active') ? (['not_initialised'] as const) : []),
    ...(store().circuits.get(source)?.state === 'open' ? (['circuit_open'] as const) : []),
    ...(fresh !== undefined && rest !== 'set-aside' && store().infeasible.has(fresh)
      ? (['objective_infeasible'] as const)
      : []),
  ];
}

export function scrapeView({ epoch: _epoch, ...view }: ScrapeRow): ScrapeView {
  return view;
}

export function stepView({ scrape: _scrape, ...view }: StepRow): StepView {
  return { ...view, absent: [...view.absent], unparsed: [...view.unparsed] };
}

export function eventView({ serial, ...rest }: EventRow): EventView {
  return { id: serial, ...rest };
}

/** An objective that a host does not allow, in whole milliseconds. */
export function infeasibleView({ neededMs, nearestMs, ...rest }: Infeasible): InfeasibleView {
  return {
    ...rest,
    neededMs: Math.round(neededMs),
    ...(nearestMs !== undefined && { nearestMs: Math.round(nearestMs) }),
  };
}
