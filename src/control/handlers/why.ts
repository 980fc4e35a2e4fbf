import { isDeepStrictEqual } from 'node:util';
import { politenessKey, type Source } from '../../definition/source.ts';
import type { DueInputs } from '../../schedule/next-due.ts';
import { type GivenPace, paceOf } from '../../schedule/pace/all.ts';
import { newPriority } from '../../schedule/priority.ts';
import { statusFor, statusOf } from '../../store/tables/project-status.ts';
import type { OfferPlace } from '../../fetch/ledger/ledger-view.ts';
import { watchersOf } from '../../schedule/watchers.ts';
import type { ProjectRow, TargetRow } from '../../store/tables/rows.ts';
import { defined } from '../../defined.ts';
import type { Handlers } from '../methods.ts';
import type { ObjectiveView, WhyView } from '../methods/why.ts';
import type { Ports } from './ports.ts';
import { heldDue, type Holds, holdsOf, pausedBy, reasonViews } from './held-due.ts';
import { pauseOf } from '../../store/pauses.ts';
import { holdView, pausedHold } from './host.ts';
import { recordsWith, scheduleOfRow, type TrackedObjective, trackedObjectives } from './tracked-objectives.ts';
import { countedFrom } from '../../schedule/time/objective.ts';
import { restingViews, someOf } from './resting.ts';
import { declaredDelayMs, isUnasked, unaskedLedger } from './tracked-hosts.ts';
import { conditionsOf, leftView, seenMarks, wholeMs } from './views.ts';
import { seenOf, type Sight } from './sight.ts';
import { findProject, rowsOf, targetsOf } from './find.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'sources' | 'hosts' | 'scrapes' | 'schedule' | 'daemon' | 'clock'>;

/** Creates the handler that explains when targets are due. */
export function whyHandlers(deps: Deps): Pick<Handlers, 'project.why'> {
  return {
    'project.why': async ({ id, target }, sight) => {
      const row = findProject(deps.store(), id);
      const numbers = targetsOf(row, target);
      const holds = await holdsOf(rowsOf(numbers, deps.store()), deps);
      // The rows may have changed while the ledgers were asked.
      const targets = rowsOf(numbers, deps.store());
      const views = targets.map((each) => whyView(row, each, { holds, sight }, deps));
      const all = rowsOf(row.targets, deps.store());
      const paused = pausedBy(deps);
      const at = deps.clock.now();
      return {
        id,
        status: statusOf(row, all),
        at,
        ...defined({ paused }),
        targets: await Promise.all(views),
      };
    },
  };
}

async function whyView(
  project: ProjectRow,
  row: TargetRow,
  { holds, sight }: { readonly holds: Holds; readonly sight: Sight },
  deps: Deps,
): Promise<WhyView> {
  const { target, url, parked } = row;
  const status = statusFor(project.id, row);
  const source = deps.catalogue().sources.get(row.source)?.source;
  const isParked = status === 'parked' && parked !== undefined;
  const circuit = holds.circuits.get(row.source);
  const session = deps.sources.session(row.source);
  const schedule = status === 'disabled' ? undefined : scheduleOfRow(row, deps);
  // Both count what waits for all projects.
  const seesAll = sight.labels === undefined;
  const host = source && seesAll ? await hostView(source, url, deps) : undefined;
  const place = status === 'active' && seesAll ? await deps.hosts.placeOf(target) : undefined;
  const isScheduled = status === 'active' && project.status !== 'archived';
  const due = isScheduled ? heldDue(row, holds, deps) : undefined;
  const dueAt = isParked ? parked.retryAt : due?.dueAt;
  return {
    target,
    source: row.source,
    url,
    status,
    conditions: conditionsOf(row, deps),
    ...defined({
      parked: isParked ? parked : undefined,
      running: deps.store().scrapes.runningOf(row)?.scrape,
      dueAt: wholeMs(dueAt),
      gone: row.gone,
      tickets: seenMarks(row, sight, deps.store()),
    }),
    ...leftView(row, deps),
    because: due === undefined ? [] : reasonViews(due),
    ...(due && source && paceViews(row, due.inputs, sight, deps)),
    objectives: await Promise.all(
      (status === 'disabled' ? [] : trackedObjectives(row, deps)).map((each) => objectiveView(each, row, deps)),
    ),
    ...defined({ resting: schedule && someOf(restingViews(schedule)) }),
    ...defined({ host, line: place && lineView(place), circuit, session }),
    userAgent: source?.userAgent ?? deps.daemon.bot.userAgent,
    robots: source === undefined ? { verdict: 'unknown' } : deps.sources.robotsVerdict(source, url),
  };
}

function lineView({ before, shut }: OfferPlace): NonNullable<WhyView['line']> {
  return { before, ...(shut && { shut: { waitFor: shut.why, ...defined({ until: wholeMs(shut.until) }) } }) };
}

/** Resolves with the state of a target's host. A host that was never asked has the pause of the source's definition. */
async function hostView(source: Source, url: string, deps: Deps): Promise<NonNullable<WhyView['host']>> {
  const key = politenessKey(source, url);
  const [ledger = unaskedLedger(key, deps.clock.now())] = await deps.hosts.ledgers({ key });
  const pause = pauseOf(deps.hosts.pauses(), { host: key });
  const hold = pause ? pausedHold : holdView(ledger.hold);
  return {
    key,
    ...defined({ nextAt: pause ? pause.until : wholeMs(ledger.nextAt), hold }),
    waiting: ledger.waiting,
    delayMs: isUnasked(ledger) ? declaredDelayMs(source) : ledger.delayMs,
  };
}

/** Describes the pace of a target, its state, and whose it is: as data and as a sentence. */
function paceViews(
  row: TargetRow,
  { at, since, pace, given, priority = newPriority }: DueInputs,
  sight: Sight,
  deps: Deps,
): Pick<WhyView, 'pace' | 'paceText' | 'paceFrom'> {
  const kind = paceOf(pace);
  const view = kind.show(pace, { at, since, given, priority, found: row.found ?? [] });
  return {
    pace: view,
    paceText: kind.sentence(view, deps.clock.now()),
    ...defined({ paceFrom: given && seenOf(paceFrom(row, given, deps), sight, deps.store())[0] }),
  };
}

/** Returns the project whose pace a target has; none where one alone watches it. */
function paceFrom(row: TargetRow, given: GivenPace, { schedule }: Deps): readonly string[] {
  const watchers = watchersOf(row);
  if (watchers.length < 2) return [];
  const from = watchers.find((each) => isDeepStrictEqual(schedule.scheduleOf(row.source, [each])?.pace, given));
  return from === undefined ? [] : [from.project];
}

/** Records that re-checks missed and that a view names. */
const namedMissed = 20;

async function recordsView(
  objective: TrackedObjective,
  { target }: TargetRow,
  deps: Deps,
): Promise<NonNullable<ObjectiveView['records']>> {
  const { ages, records } = deps.store();
  const now = deps.clock.now();
  let [count, overdue] = [0, 0];
  for await (const slice of recordsWith(target, objective, deps)) {
    count += slice.length;
    overdue += slice.filter(
      ({ verifiedAt }) => now - countedFrom(verifiedAt, objective) > objective.objectiveMs,
    ).length;
  }
  const missed = [...ages.missed(target, namedMissed)].flatMap(([number, { times, retryAt, message }]) => {
    const record = records.byNumber(number);
    return record === undefined ? [] : [{ type: record.type, key: record.key, times, retryAt, message }];
  });
  return { count, overdue, missed };
}

async function objectiveView(objective: TrackedObjective, row: TargetRow, deps: Deps): Promise<ObjectiveView> {
  const { field, warnAfterMs, errorAfterMs, verifiedAt, objectiveMs, episode } = objective;
  const now = deps.clock.now();
  const brokenAt = brokenAtOf(objective, now);
  return {
    ...defined({ field, warnAfterMs, errorAfterMs }),
    lastVerifiedAt: verifiedAt,
    isVerified: isVerified(objective, row),
    ageMs: Math.max(0, now - verifiedAt),
    deadlineAt: countedFrom(verifiedAt, objective) + objectiveMs,
    level: episode.level,
    ...defined({ sinceAt: episode.sinceAt, brokenAt }),
    ...(objective.isOfRecords && { records: await recordsView(objective, row, deps) }),
  };
}

/** True if a target or field was ever verified. Its age counts from the target's creation otherwise. */
function isVerified({ field, verifiedAt, isOfRecords }: TrackedObjective, row: TargetRow): boolean {
  if (isOfRecords === true) return true;
  if (field === undefined && row.verifiedAt !== undefined) return true;
  return verifiedAt > row.createdAt;
}

/**
 * Returns when an objective was broken. An episode stores only its begin; nothing is known where an earlier, shorter
 * objective was the one that was broken.
 */
function brokenAtOf(
  { episode, verifiedAt, errorAfterMs, ...objective }: TrackedObjective,
  now: number,
): number | undefined {
  if (episode.level !== 'error' || errorAfterMs === undefined) return undefined;
  const brokenAt = countedFrom(verifiedAt, objective) + errorAfterMs;
  return brokenAt <= now ? brokenAt : undefined;
}
