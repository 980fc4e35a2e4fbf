import { politenessKey } from '../../definition/source.ts';
import { projectsOf } from '../../schedule/watchers.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import type { ScheduleRow } from '../../schedule/row.ts';
import { inSlices } from '../../store/slices.ts';
import type { Store } from '../../store/store.ts';
import { defined } from '../../defined.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import type { TurnView } from '../methods/schedule.ts';
import { checkNames } from './find.ts';
import type { Ports } from './ports.ts';
import { heldDue, type Holds, pausedBy, presentHolds } from './held-due.ts';
import { pause, resume } from '../../store/pauses.ts';
import { LowestItems } from './lowest-items.ts';
import { seenOf, type Sight } from './sight.ts';
import { targetsInSlices } from './slices.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'hosts' | 'scrapes' | 'schedule'>;

/** The most pauses that are told. */
const shownPauses = 100;

/** Creates the handlers of coming turns and of pauses. */
export function scheduleHandlers(deps: Deps): Pick<Handlers, 'schedule.list' | 'schedule.pause' | 'schedule.resume'> {
  return {
    'schedule.list': async (params, sight) => {
      const { found, unloaded, isWhole } = await collect(params, sight, deps);
      const turns = [...found.items];
      if (params.by === 'host') turns.sort((a, b) => order(a.key, b.key) || a.dueAt - b.dueAt);
      const paused = pausedBy(deps);
      return {
        turns,
        more: !isWhole || found.seen > turns.length,
        ...defined({ unloaded: unloaded.size > 0 ? [...unloaded].sort(order) : undefined, paused }),
      };
    },
    'schedule.pause': async ({ forMs, ...given }) => {
      checkNames({ source: given.source }, deps);
      const store = deps.store();
      const made = await pause(store, { ...given, ...(forMs !== undefined && { until: store.now() + forMs }) });
      deps.hosts.pausesChanged();
      return made;
    },
    'schedule.resume': async ({ by, ...scope }) => {
      const store = deps.store();
      const resumed = await resume(store, scope, by);
      deps.hosts.pausesChanged();
      return { resumed, pauses: deps.hosts.pauses().slice(0, shownPauses) };
    },
  };
}

interface Collected {
  readonly found: LowestItems<TurnView>;
  /** Sources with targets that are left out. */
  readonly unloaded: ReadonlySet<string>;
  /** True if all targets were looked at, and not only those that are due before the last turn that is kept. */
  readonly isWhole: boolean;
}

/** Collects the wanted turns. Rejects with a `ControlError` `not_found` for an unknown source, project or host. */
async function collect(params: Params<'schedule.list'>, sight: Sight, deps: Deps): Promise<Collected> {
  const { source, project, key, before = Infinity } = params;
  const { catalogue } = deps;
  checkNames({ project, source }, deps);
  const holds = await presentHolds(deps);
  const store = deps.store();
  const found = new LowestItems<TurnView>(params.limit);
  const unloaded = new Set<string>();
  let isOnHost = key === undefined;
  let isWhole = true;
  if ((project ?? source ?? key) === undefined) isWhole = await addEarliest();
  else for await (const rows of targetsInSlices(store, { source, project })) rows.forEach(add);
  if (!isOnHost) throw new ControlError('not_found', `no target is on host "${key}"`);
  return { found, unloaded, isWhole };

  /** Adds turns from the soonest on, and stops where all others come after the last that is kept. */
  async function addEarliest(): Promise<boolean> {
    for await (const rows of rowsBy(store.schedule.byDue, wakeAt, before))
      for (const row of rows) {
        // Holds only delay a target, so that no later row can be due sooner.
        if (wakeAt(row) > found.edge) return false;
        addRow(row);
      }
    for await (const rows of rowsBy(store.schedule.byPlan, planAt, before))
      for (const row of rows) {
        // The day of such a turn is not planned yet; the turn comes at its beginning at the soonest.
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
    if (turn === undefined || turn.dueAt >= before) return;
    found.add(turn.dueAt, { ...turn, projects: seenOf(turn.projects, sight, store) });
  }
}

/** Returns a target's next turn, or the day of it where only the day is known; nothing where none is planned. */
function turnOf(row: TargetRow, key: string, holds: Holds, deps: Deps): TurnView | undefined {
  const due = heldDue(row, holds, deps);
  if (due === undefined) return undefined;
  const awaited = due.because.find(({ effect }) => effect === 'awaits');
  const at = due.dueAt ?? (due.because.some(({ decides }) => decides) ? undefined : awaited?.at);
  if (at === undefined || !Number.isFinite(at)) return undefined;
  const decider = due.dueAt === undefined ? awaited : due.because.find(({ decides }) => decides);
  const { target, source, url } = row;
  return {
    dueAt: Math.round(at),
    target,
    projects: projectsOf(row),
    source,
    url,
    key,
    ...defined({ by: decider?.by }),
    ...(due.dueAt === undefined && { dayOnly: true as const }),
  };
}

/** Yields rows in the order of an instant, slice by slice. */
function rowsBy(
  read: Store['schedule']['byDue'],
  instantOf: (row: ScheduleRow) => number,
  before: number,
): AsyncIterable<readonly ScheduleRow[]> {
  return inSlices<ScheduleRow>((last, limit) =>
    read({ before, limit, ...(last && { after: [instantOf(last), last.target] }) }),
  );
}

/** Returns when the daemon next looks at a target, by the row of its schedule. */
function wakeAt({ dueAt = Infinity, manualAt = Infinity }: ScheduleRow): number {
  return Math.min(dueAt, manualAt);
}

function planAt({ pace }: ScheduleRow): number {
  return 'planAt' in pace ? pace.planAt : Infinity;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
