import { defined } from '../../defined.ts';
import { kindOf, type Sink } from '../../definition/sink.ts';
import { allTypeNames } from '../../definition/type-names.ts';
import { serialOf } from '../../event/wire-id.ts';
import { didYouMean } from '../../schema/near-name.ts';
import { lastBefore } from '../../store/sinks.ts';
import { type ParkedRow, rowsOf } from '../../store/tables/sinks.ts';
import { ControlError, invalidParam } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { SinkView, StuckView } from '../methods/sink.ts';
import { CutLists } from './cut-lists.ts';
import type { Ports } from './ports.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'sinks'>;

/** The most messages that failed which are shown of a sink. */
const mostStuck = 20;

/** Creates the handlers of sinks. */
export function sinkHandlers(deps: Deps) {
  return {
    'sink.list': async () => {
      const sinks = [...deps.catalogue().sinks.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
      return { sinks: await Promise.all(sinks.map((sink) => sinkView(sink, deps))) };
    },

    'sink.get': async ({ id, before, limit }) => {
      const view = await sinkView(findSink(id, deps), deps);
      const { sinks } = deps.store();
      const { from, before: end } = rowsOf(id);
      const older = before === undefined ? end : ([id, before] as [string, number]);
      const found = [...sinks.deliveries.entries({ from, before: older, newestFirst: true, limit: limit + 1 })];
      const shown = found.slice(0, limit);
      const cut = new CutLists<'parked' | 'dead'>();
      const parked = cut.first('parked', failedOnes(sinks.parked.rows(rowsOf(id))), mostStuck);
      const dead = cut.first('dead', sinks.dead.rows({ ...rowsOf(id), newestFirst: true }), mostStuck);
      return {
        sink: view,
        deliveries: shown.map(({ row }) => row),
        parked: parked.map(stuckView),
        dead: dead.map(stuckView),
        ...defined({ next: found.length > limit ? shown.at(-1)?.key[1] : undefined, cut: cut.names }),
      };
    },

    'sink.test': async ({ id }) => {
      findSink(id, deps);
      const tested = await deps.sinks.test(id);
      if (tested === undefined) throw new ControlError('not_ready', `sink "${id}" is down: \`heronry tree\` says why`);
      const { result, ms } = tested;
      return {
        ok: result.ok,
        ms: Math.round(ms),
        ...(result.ok ? defined({ status: result.status }) : { failure: result.failure }),
      };
    },

    'sink.replay': async ({ id, from, since, dead }) => {
      findSink(id, deps);
      if (dead === true) return { messages: await deps.sinks.revive(id) };
      const { events } = deps.store();
      const first = from === undefined ? lastBefore(deps.store(), since ?? 0) + 1 : serialOf(deps.store(), from);
      if (first === undefined || first > events.last() + 1 || first < 1)
        throw invalidParam('from', `expected the id of an event of this store, got "${from}"`);
      await deps.sinks.replay(id, first - 1);
      return { events: events.last() - first + 1, from: first };
    },

    'sink.sync': async ({ id, type }) => {
      findSink(id, deps);
      const types = allTypeNames(Array.from(deps.catalogue().sources.values(), ({ source }) => source));
      if (!types.has(type))
        throw new ControlError('not_found', `no source has records of a type "${type}"${didYouMean(type, types)}`);
      await deps.sinks.sync(id, type);
      return { type };
    },
  } satisfies Partial<Handlers>;
}

/** Returns a sink that is loaded. Throws a `ControlError` `not_found` for another one. */
function findSink(id: string, { catalogue }: Deps): Sink {
  const { sinks } = catalogue();
  const sink = sinks.get(id);
  if (sink === undefined) throw new ControlError('not_found', `no sink "${id}"${didYouMean(id, sinks.keys())}`);
  return sink;
}

async function sinkView(sink: Sink, { store, sinks: actors }: Deps): Promise<SinkView> {
  const { id, events } = sink;
  const { cursors, events: log, sinks } = store();
  const status = await actors.status(id);
  const [last] = sinks.deliveries.rows({ ...rowsOf(id), newestFirst: true, limit: 1 });
  const counted = (rows: typeof sinks.dead) => [...rows.keys(rowsOf(id))].length;
  return {
    id,
    kind: kindOf(sink).name,
    events,
    state: status === undefined ? 'down' : 'running',
    behind: Math.max(0, log.last() - (cursors.get(id)?.serial ?? log.last())),
    parked: counted(sinks.parked),
    dead: counted(sinks.dead),
    ...defined({ quietUntil: status?.quietUntil, syncing: sinks.syncs.get(id)?.type, last }),
  };
}

/** Yields the messages that failed, and not those that wait behind them. */
function* failedOnes(rows: Iterable<ParkedRow>): Generator<ParkedRow> {
  for (const row of rows) if (row.attempts > 0) yield row;
}

function stuckView({ message, attempts, nextAt, failure }: ParkedRow): StuckView {
  const { id, key, type } = message;
  return { id, key, type, attempts, nextAt: Math.round(nextAt), ...defined({ failure }) };
}
