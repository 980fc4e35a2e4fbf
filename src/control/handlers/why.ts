import { politenessKey } from '../../definition/source.ts';
import { type DueInputs, nextDue, type Pace, type Reason } from '../../schedule/next-due.ts';
import { priorityOf } from '../../schedule/priority.ts';
import { defaultTokens } from '../../schedule/tokens.ts';
import type { TargetRow } from '../../store/rows.ts';
import type { Handlers } from '../methods.ts';
import type { CircuitView } from '../methods/host.ts';
import type { PaceView, PromiseView, ReasonView, WhyView } from '../methods/why.ts';
import type { HandlerDeps } from './deps.ts';
import { holdView } from './host.ts';
import { findProject } from './project.ts';
import { agesOf, type Promised, promisesOf, scheduleOfRow } from './promises.ts';
import { conditionsOf } from './views.ts';
import { targetsOf } from './work.ts';

export function whyHandlers(deps: HandlerDeps): Pick<Handlers, 'project.why'> {
  return {
    'project.why': async ({ id, target }) => {
      const row = findProject(deps.store(), id);
      const circuits = await deps.circuits();
      const numbers = targetsOf(row, target);
      const targets = numbers.flatMap((number) => deps.store().targets.get(number) ?? []);
      const views = targets.map((each) => whyView(each, row.status === 'archived', circuits, deps));
      const paused = deps.apiOnly ? 'the daemon was started with --api-only' : deps.paused();
      const at = deps.clock.now();
      return { id, at, ...(paused !== undefined && { paused }), targets: await Promise.all(views) };
    },
  };
}

async function whyView(
  row: TargetRow,
  isArchived: boolean,
  circuits: Awaited<ReturnType<HandlerDeps['circuits']>>,
  deps: HandlerDeps,
): Promise<WhyView> {
  const { target, url, status, parked, running } = row;
  const source = deps.catalogue().sources.get(row.source)?.source;
  const isParked = status === 'parked' && parked !== undefined;
  const circuit = circuits.get(row.source);
  const session = deps.sessionOf(row.source);
  const key = source && politenessKey(source, url);
  const host = key === undefined ? undefined : await hostView(key, deps);
  const inputs = status === 'active' && !isArchived ? deps.dueInputsOf(row) : undefined;
  const due = inputs && nextDue({ ...inputs, holds: { ...inputs.holds, ...holdsOf(circuit, host) } });
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
    ...(inputs && source && { pace: paceView(row, inputs.pace, deps) }),
    promises: promisesOf(row, deps).map((each) => promiseView(each, deps.clock.now())),
    ...(host && { host }),
    ...(circuit && { circuit }),
    ...(session && { session }),
    userAgent: source?.userAgent ?? deps.bot.userAgent,
    robots: source === undefined ? { verdict: 'unknown' } : deps.robotsVerdict(source, url),
  };
}

/** What keeps a request from being made, though its target is due. A pause between two requests is no such thing. */
function holdsOf(circuit: CircuitView | undefined, host: WhyView['host']): NonNullable<DueInputs['holds']> {
  const isLeftAlone = host?.hold?.kind === 'retry_after' || host?.hold?.kind === 'back_off';
  return {
    ...(isLeftAlone && host.nextAt !== undefined && { backoff: host.nextAt }),
    ...(circuit?.state === 'open' && circuit.nextAt !== undefined && { circuit: circuit.nextAt }),
  };
}

/** What its ledger says; one that was never asked waits for nothing. */
async function hostView(key: string, deps: HandlerDeps): Promise<WhyView['host']> {
  const [ledger] = await deps.ledgers({ key });
  if (ledger === undefined) return undefined;
  const hold = holdView(ledger.hold);
  return {
    key,
    ...(ledger.nextAt !== undefined && { nextAt: Math.round(ledger.nextAt) }),
    ...(hold && { hold }),
    waiting: ledger.waiting,
    delayMs: ledger.delayMs,
  };
}

/** JSON has no infinity: what never comes has no instant. */
function reasonView({ by, at, effect, decides }: Reason): ReasonView {
  return { by, ...(Number.isFinite(at) && { at: Math.round(at) }), effect, decides };
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

function promiseView(promised: Promised, now: number): PromiseView {
  const { field, warnAfterMs, errorAfterMs, verifiedAt, objectiveMs, episode } = promised;
  return {
    ...(field !== undefined && { field }),
    ...(warnAfterMs !== undefined && { warnAfterMs }),
    ...(errorAfterMs !== undefined && { errorAfterMs }),
    lastVerifiedAt: verifiedAt,
    ageMs: Math.max(0, now - verifiedAt),
    deadlineAt: verifiedAt + objectiveMs,
    level: episode.level,
    ...(episode.sinceAt !== undefined && { sinceAt: episode.sinceAt }),
  };
}
