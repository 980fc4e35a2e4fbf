import { politenessKey } from '../../definition/source.ts';
import type { TargetRow } from '../../store/rows.ts';
import type { ScheduleRow } from '../../store/schedule-row.ts';
import { inSlices } from '../../store/slices.ts';
import type { Store } from '../../store/store.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { TurnView } from '../methods/schedule.ts';
import type { HandlerDeps } from './deps.ts';
import { heldDue, type Holds, pausedBy, presentHolds } from './held-due.ts';
import { Soonest } from './soonest.ts';
import { targetsInSlices } from './walk.ts';

export function scheduleHandlers(deps: HandlerDeps): Pick<Handlers, 'schedule.list'> {
  return {
    'schedule.list': async (params) => {
      const { found, unloaded, isWhole } = await collect(params, deps);
      const turns = [...found.items];
      if (params.by === 'host') turns.sort((a, b) => order(a.key, b.key) || a.dueAt - b.dueAt);
      const paused = pausedBy(deps);
      return {
        turns,
        more: !isWhole || found.seen > turns.length,
        ...(unloaded.size > 0 && { unloaded: [...unloaded].sort(order) }),
        ...(paused !== undefined && { paused }),
      };
    },
  };
}

interface Collected {
  readonly found: Soonest<TurnView>;
  /** Sources with targets that are left out. */
  readonly unloaded: ReadonlySet<string>;
  /** Whether all were looked at, and not only those that come before the last that is kept. */
  readonly isWhole: boolean;
}

/** The turns that are wanted. */
async function collect(params: Params<'schedule.list'>, deps: HandlerDeps): Promise<Collected> {
  const { source, project, key, before = Infinity } = params;
  const { catalogue } = deps;
  if (source !== undefined && !isKnown(source, deps)) throw new ControlError('not_found', `no source "${source}"`);
  const holds = await presentHolds(deps);
  const store = deps.store();
  const found = new Soonest<TurnView>(params.limit);
  const unloaded = new Set<string>();
  let isOnHost = key === undefined;
  let isWhole = true;
  if ((project ?? source ?? key) === undefined) isWhole = await addSoonest();
  else for await (const rows of targetsInSlices(store, { source, project })) rows.forEach(add);
  if (!isOnHost) throw new ControlError('not_found', `no target is on host "${key}"`);
  return { found, unloaded, isWhole };

  /** The walk ends where the last that is kept comes before all others. */
  async function addSoonest(): Promise<boolean> {
    for await (const rows of rowsByDue(store, before))
      for (const row of rows) {
        // What holds a target back only makes it later than its row says.
        if (wakeAt(row) > found.edge) return false;
        addRow(row);
      }
    for await (const rows of rowsByPlan(store, before))
      for (const row of rows) {
        // Its day is not planned yet, and begins then at the soonest.
        if (planAt(row) >= found.edge) return false;
        if (wakeAt(row) === Infinity) addRow(row);
      }
    return true;
  }

  function addRow({ target }: ScheduleRow): void {
    const row = store.targets.get(target);
    if (row !== undefined) add(row);
  }

  function add(row: TargetRow): void {
    const loaded = catalogue().sources.get(row.source)?.source;
    const ofHost = loaded && politenessKey(loaded, row.url);
    if (key !== undefined && key !== ofHost && key !== URL.parse(row.url)?.origin) return;
    isOnHost = true;
    if (row.status !== 'active') return;
    if (ofHost === undefined) return void unloaded.add(row.source);
    const turn = turnOf(row, ofHost, holds, deps);
    if (turn !== undefined && turn.dueAt < before) found.add(turn.dueAt, turn);
  }
}

/** Also one that is not loaded any more, as long as something is tracked there. */
function isKnown(source: string, { catalogue, store }: HandlerDeps): boolean {
  return catalogue().sources.has(source) || [...store().targets.numbersOfSource(source, { limit: 1 })].length > 0;
}

/** Its next turn; where only the day is known that pays for it, that day. */
function turnOf(row: TargetRow, key: string, holds: Holds, deps: HandlerDeps): TurnView | undefined {
  const due = heldDue(row, holds, deps);
  if (due === undefined) return undefined;
  const awaited = due.because.find(({ effect }) => effect === 'awaits');
  const at = due.dueAt ?? (due.because.some(({ decides }) => decides) ? undefined : awaited?.at);
  if (at === undefined || !Number.isFinite(at)) return undefined;
  const decider = due.dueAt === undefined ? awaited : due.because.find(({ decides }) => decides);
  const { target, project, source, url } = row;
  return {
    dueAt: Math.round(at),
    target,
    project,
    source,
    url,
    key,
    ...(decider && { by: decider.by }),
    ...(due.dueAt === undefined && { dayOnly: true as const }),
  };
}

function rowsByDue(store: Store, before: number): AsyncIterable<readonly ScheduleRow[]> {
  return inSlices<ScheduleRow>((last, limit) =>
    store.schedule.byDue({ before, limit, ...(last && { after: [wakeAt(last), last.target] }) }),
  );
}

function rowsByPlan(store: Store, before: number): AsyncIterable<readonly ScheduleRow[]> {
  return inSlices<ScheduleRow>((last, limit) =>
    store.schedule.byPlan({ before, limit, ...(last && { after: [planAt(last), last.target] }) }),
  );
}

/** Where its row says that it is to be looked at. */
function wakeAt({ dueAt = Infinity, manualAt = Infinity }: ScheduleRow): number {
  return Math.min(dueAt, manualAt);
}

function planAt({ pace }: ScheduleRow): number {
  return pace.kind === 'tokens' ? pace.planAt : Infinity;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
