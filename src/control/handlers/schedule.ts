import { politenessKey } from '../../definition/source.ts';
import { nextDue } from '../../schedule/next-due.ts';
import type { TargetRow } from '../../store/rows.ts';
import type { Handlers, Params } from '../methods.ts';
import type { TurnView } from '../methods/schedule.ts';
import type { HandlerDeps } from './deps.ts';
import { Soonest } from './soonest.ts';
import { targetsInSlices } from './walk.ts';

export function scheduleHandlers(deps: HandlerDeps): Pick<Handlers, 'schedule.list'> {
  return {
    'schedule.list': async (params) => {
      const found = new Soonest<TurnView>(params.limit);
      const isWhole = await collect(params, found, deps);
      const turns = [...found.items];
      if (params.by === 'host') turns.sort((a, b) => order(a.key ?? '', b.key ?? '') || a.dueAt - b.dueAt);
      return { turns, more: !isWhole || found.seen > turns.length };
    },
  };
}

/** Adds the turns that are wanted; whether all were looked at, and not only those that come before the last that is kept. */
async function collect(params: Params<'schedule.list'>, found: Soonest<TurnView>, deps: HandlerDeps): Promise<boolean> {
  const { source, project, key, before = Infinity } = params;
  const { targets, schedule } = deps.store();
  if ((project ?? source ?? key) !== undefined) {
    for await (const rows of targetsInSlices(deps.store(), { source, project })) rows.forEach(add);
  } else {
    for (const row of schedule.byDue({ before })) {
      // What holds a target back only makes it later than its row says.
      if (Math.min(row.dueAt ?? Infinity, row.manualAt ?? Infinity) > found.edge) return false;
      const target = targets.get(row.target);
      if (target !== undefined) add(target);
    }
  }
  return true;

  function add(target: TargetRow): void {
    const turn = turnOf(target, deps);
    if (turn === undefined || turn.dueAt >= before) return;
    if (key === undefined || turn.key === key) found.add(turn.dueAt, turn);
  }
}

function turnOf(row: TargetRow, deps: HandlerDeps): TurnView | undefined {
  const { target, project, url } = row;
  const schedule = deps.store().schedule.get(target);
  if (schedule === undefined || row.status !== 'active') return undefined;
  const source = deps.catalogue().sources.get(row.source)?.source;
  const inputs = deps.dueInputsOf(row);
  const due = inputs && nextDue(inputs);
  const stored = Math.min(schedule.dueAt ?? Infinity, schedule.manualAt ?? Infinity);
  const dueAt = due === undefined ? stored : due.dueAt;
  if (dueAt === undefined || !Number.isFinite(dueAt)) return undefined;
  const decider = due?.because.find(({ decides }) => decides)?.by;
  return {
    dueAt: Math.round(dueAt),
    target,
    project,
    source: row.source,
    url,
    ...(source !== undefined && { key: politenessKey(source, url) }),
    ...(decider && { by: decider }),
  };
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
