import { agesOf } from '../../definition/promise.ts';
import { politenessKey, type Source } from '../../definition/source.ts';
import type { Pace } from '../../schedule/next-due.ts';
import { priorityOf } from '../../schedule/priority.ts';
import { defaultTokens } from '../../schedule/tokens.ts';
import type { TargetRow } from '../../store/rows.ts';
import type { Handlers } from '../methods.ts';
import type { PaceView, PromiseView, WhyView } from '../methods/why.ts';
import type { HandlerDeps } from './deps.ts';
import { heldDue, type Holds, holdsOf, pausedBy, reasonView } from './held-due.ts';
import { holdView } from './host.ts';
import { findProject } from './project.ts';
import { type Promised, promisesOf, scheduleOfRow } from './promises.ts';
import { declaredDelayMs, isUnasked, unaskedLedger } from './tracked-hosts.ts';
import { conditionsOf, statusOf } from './views.ts';
import { rowsOf, targetsOf } from './work.ts';

export function whyHandlers(deps: HandlerDeps): Pick<Handlers, 'project.why'> {
  return {
    'project.why': async ({ id, target }) => {
      const row = findProject(deps.store(), id);
      const numbers = targetsOf(row, target);
      const holds = await holdsOf(rowsOf(numbers, deps), deps);
      // They may be other ones by now.
      const targets = rowsOf(numbers, deps);
      const views = targets.map((each) => whyView(each, row.status === 'archived', holds, deps));
      const all = rowsOf(row.targets, deps);
      const paused = pausedBy(deps);
      const at = deps.clock.now();
      return {
        id,
        status: statusOf(row, all),
        at,
        ...(paused !== undefined && { paused }),
        targets: await Promise.all(views),
      };
    },
  };
}

async function whyView(row: TargetRow, isArchived: boolean, holds: Holds, deps: HandlerDeps): Promise<WhyView> {
  const { target, url, status, parked, running } = row;
  const source = deps.catalogue().sources.get(row.source)?.source;
  const isParked = status === 'parked' && parked !== undefined;
  const circuit = holds.circuits.get(row.source);
  const session = deps.sessionOf(row.source);
  const host = source && (await hostView(source, url, deps));
  const isScheduled = status === 'active' && !isArchived;
  const due = isScheduled ? heldDue(row, holds, deps) : undefined;
  const pace = isScheduled ? deps.dueInputsOf(row)?.pace : undefined;
  const dueAt = isParked ? parked.retryAt : due?.dueAt;
  return {
    target,
    source: row.source,
    url,
    status,
    conditions: conditionsOf(row, deps),
    ...(isParked && { parked }),
    ...(running !== undefined && { running }),
    ...(dueAt !== undefined && { dueAt: Math.round(dueAt) }),
    because: due?.because.map(reasonView) ?? [],
    ...(pace && source && { pace: paceView(row, pace, deps) }),
    promises: promisesOf(row, deps).map((each) => promiseView(each, row, deps)),
    ...(host && { host }),
    ...(circuit && { circuit }),
    ...(session && { session }),
    userAgent: source?.userAgent ?? deps.bot.userAgent,
    robots: source === undefined ? { verdict: 'unknown' } : deps.robotsVerdict(source, url),
  };
}

/** What its ledger says; one that was not asked waits for nothing, and has the pause that the definition says. */
async function hostView(source: Source, url: string, deps: HandlerDeps): Promise<NonNullable<WhyView['host']>> {
  const key = politenessKey(source, url);
  const [ledger = unaskedLedger(key, deps.clock.now())] = await deps.ledgers({ key });
  const hold = holdView(ledger.hold);
  return {
    key,
    ...(ledger.nextAt !== undefined && { nextAt: Math.round(ledger.nextAt) }),
    ...(hold && { hold }),
    waiting: ledger.waiting,
    delayMs: isUnasked(ledger) ? declaredDelayMs(source) : ledger.delayMs,
  };
}

function paceView(row: TargetRow, pace: Pace, deps: HandlerDeps): PaceView {
  switch (pace.kind) {
    case 'interval': {
      const { everyMs, originAt, phaseMs } = pace.grid;
      return { kind: 'interval', everyMs, originAt: Math.round(originAt), phaseMs };
    }
    case 'cron':
      return { kind: 'cron', pattern: pace.pattern, zone: pace.zone };
    case 'tokens':
      return tokensView(row, pace, deps);
    case 'continuous': {
      const { endedAt, failures } = pace.last;
      const { sleepMs, longestMs } = pace.options;
      return { kind: 'continuous', sleepMs, longestMs, endedAt, failures };
    }
    case 'objective': {
      const given = scheduleOfRow(row, deps)?.pace;
      return { kind: 'objective', ...(given?.kind === 'objective' && agesOf(given)) };
    }
    default:
      return pace satisfies never;
  }
}

function tokensView(row: TargetRow, { planned, nextPaidAt }: Pace & { kind: 'tokens' }, deps: HandlerDeps): PaceView {
  const { store } = deps;
  const stored = store().schedule.get(row.target)?.pace;
  const given = scheduleOfRow(row, deps)?.pace;
  const { cap, perDay, zone } = given?.kind === 'tokens' ? given : { ...defaultTokens, zone: 'UTC' };
  return {
    kind: 'tokens',
    tokens: stored?.kind === 'tokens' ? stored.bucket.tokens : 0,
    priority: priorityOf(row.found ?? [], store().projects.get(row.project)?.multiplier),
    cap,
    perDay,
    zone,
    found: row.found ?? [],
    planned: planned.map(Math.round),
    ...(nextPaidAt !== undefined && { nextPaidAt }),
  };
}

function promiseView(promised: Promised, row: TargetRow, deps: HandlerDeps): PromiseView {
  const { field, warnAfterMs, errorAfterMs, verifiedAt, objectiveMs, episode } = promised;
  const now = deps.clock.now();
  const brokenAt = brokenAtOf(promised, now);
  return {
    ...(field !== undefined && { field }),
    ...(warnAfterMs !== undefined && { warnAfterMs }),
    ...(errorAfterMs !== undefined && { errorAfterMs }),
    lastVerifiedAt: verifiedAt,
    isVerified: isVerified(promised, row, deps),
    ageMs: Math.max(0, now - verifiedAt),
    deadlineAt: verifiedAt + objectiveMs,
    level: episode.level,
    ...(episode.sinceAt !== undefined && { sinceAt: episode.sinceAt }),
    ...(brokenAt !== undefined && { brokenAt }),
  };
}

/** Whether its age counts from an observation, and not from the creation of its target. */
function isVerified({ field, verifiedAt }: Promised, row: TargetRow, { store }: HandlerDeps): boolean {
  if (field === undefined && row.verifiedAt !== undefined) return true;
  const bornAt = row.createdAt ?? store().projects.get(row.project)?.createdAt;
  return bornAt === undefined || verifiedAt > bornAt;
}

/** An episode remembers its begin alone. One that an earlier, shorter promise broke has no such instant. */
function brokenAtOf({ episode, verifiedAt, errorAfterMs }: Promised, now: number): number | undefined {
  if (episode.level !== 'error' || errorAfterMs === undefined) return undefined;
  const brokenAt = verifiedAt + errorAfterMs;
  return brokenAt <= now ? brokenAt : undefined;
}
