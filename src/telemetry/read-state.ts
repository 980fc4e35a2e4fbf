import { setImmediate } from 'node:timers/promises';
import type { Counter, Gauge } from 'prom-client';
import { type DaemonStatus, waitKinds } from '../control/methods/daemon.ts';
import { kindOf, type Sink } from '../definition/sink.ts';
import type { Result } from '../control/methods.ts';
import type { Store } from '../store/store.ts';
import { rowsOf } from '../store/tables/sinks.ts';
import { isHeldUp } from '../view/queues.ts';
import { SymptomKind } from '../view/symptom.ts';
import { localWorker, type Meters } from './meters.ts';

/** The state from which gauges are set whenever they are read. */
export interface StateDeps {
  /** Wall time. */
  now(): number;
  /** Throws while no store is open. */
  status(): DaemonStatus | Promise<DaemonStatus>;
  store(): Store;
  sinks(): Iterable<Sink>;
  /** The worker processes, and the steps in their queues. */
  workers(): Promise<Result<'worker.list'>> | Result<'worker.list'>;
  /** Whether the engine of this process runs. */
  isOnline(): boolean;
  /** Pages that are fetched and not read yet. */
  prefetched(): number;
  /** Streams of events that are open. */
  streams(): number;
}

/**
 * Sets all that is a state and no event: gauges, and the counters that others keep. Resolves with the ids of the worker processes. Rejects while no
 * store is open.
 */
export async function readState(meters: Meters, deps: StateDeps): Promise<ReadonlySet<string>> {
  const status = await deps.status();
  setProcess(meters.process, status, deps.now());
  const { state, queues, workers, store, http } = meters;
  setAll(state.projects, status.projects);
  setAll(state.targets, status.targets);
  setAll(state.sources, status.sources);
  setAll(state.brokenFiles, status.brokenFiles ?? { types: 0, sinks: 0, pipelines: 0 });
  setAll(state.tickets, status.tickets);
  setAll(state.symptoms, await symptomCounts(deps.store()));
  state.lastEvent.set(status.lastEvent);
  setQueues(queues, status, deps);
  const processes = await deps.workers();
  setWorkers(meters, processes);
  workers.online.set({ worker: localWorker }, Number(deps.isOnline()));
  workers.prefetched.set({ worker: localWorker }, deps.prefetched());
  setTotal(store.commits, status.commits.transactions);
  setTotal(store.changes, status.commits.changes);
  http.streams.set(deps.streams());
  return new Set(processes.workers.map(({ id }) => id));
}

function setWorkers(meters: Meters, { workers: processes, queued, scale }: Result<'worker.list'>): void {
  const { workers, steps, queues } = meters;
  for (const name of ['wanted', 'min', 'max'] as const) meters.scale[name].set(scale?.[name] ?? 0);
  if (queued !== undefined) setAll(queues.steps, queued);
  workers.online.reset();
  workers.concurrency.reset();
  for (const { id: worker, online, concurrency, active } of processes) {
    workers.online.set({ worker }, Number(online));
    workers.concurrency.set({ worker }, concurrency);
    steps.running.set({ worker }, online ? active : 0);
  }
}

function setProcess(
  meters: Meters['process'],
  { version, node, startedAt, state, paused, backup, queues, ...load }: DaemonStatus,
  now: number,
): void {
  meters.info.set({ version, node }, 1);
  meters.startTime.set(startedAt / 1_000);
  meters.ready.set(Number(state === 'ready' && paused === undefined));
  meters.memory.set(load.memoryBytes);
  meters.resident.set(process.memoryUsage.rss());
  meters.loopDelay.set(load.loopDelayMs / 1_000);
  if (backup === undefined) meters.backup.remove();
  else meters.backup.set(Math.max(0, now - (backup.upToAt ?? startedAt)) / 1_000);
  if (queues === undefined) meters.queues.remove();
  else meters.queues.set(Number(!isHeldUp(queues) && queues.state !== 'opening'));
  const { user, system } = process.cpuUsage();
  setTotal(meters.cpu, (user + system) / 1e6);
}

function setQueues(meters: Meters['queues'], { offers, backlog, scrapes }: DaemonStatus, deps: StateDeps): void {
  for (const kind of waitKinds) {
    const found = offers.find(({ waitFor }) => waitFor === kind);
    meters.offers.set({ wait_for: kind }, found?.offers ?? 0);
    const sinceMs = found === undefined ? 0 : deps.now() - found.oldestAt;
    meters.oldestOffer.set({ wait_for: kind }, Math.max(0, sinceMs) / 1_000);
  }
  meters.backlog.set(backlog.turns);
  meters.oldestBacklog.set(Math.max(0, deps.now() - (backlog.oldestAt ?? deps.now())) / 1_000);
  meters.waiting.set(scrapes.waiting);
  meters.running.set(scrapes.running);
  const { cursors, events, sinks } = deps.store();
  meters.outbox.reset();
  meters.parked.reset();
  for (const sink of deps.sinks()) {
    const { name: kind } = kindOf(sink);
    const last = events.last();
    meters.outbox.inc({ kind }, Math.max(0, last - (cursors.get(sink.id)?.serial ?? last)));
    meters.parked.inc({ kind, state: 'parked' }, [...sinks.parked.keys(rowsOf(sink.id))].length);
    meters.parked.inc({ kind, state: 'dead' }, [...sinks.dead.keys(rowsOf(sink.id))].length);
  }
}

/** Tickets that are looked at in one turn of the event loop. */
const atOnce = 100;

/** The number of tickets that are not resolved and show a symptom, by its kind. */
async function symptomCounts(store: Store): Promise<Readonly<Record<string, number>>> {
  const counts = Object.fromEntries(SymptomKind.options.map((kind) => [kind, 0]));
  let looked = 0;
  for (const { symptoms } of store.tickets.unresolved()) {
    for (const kind of new Set(symptoms.map((symptom) => symptom.kind))) counts[kind] = (counts[kind] ?? 0) + 1;
    looked += 1;
    if (looked % atOnce === 0) await setImmediate();
  }
  return counts;
}

/** Sets a gauge with one label. */
function setAll(gauge: Gauge, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) gauge.labels(name).set(count);
}

/** Sets a counter to what something else has counted. */
function setTotal(counter: Counter, total: number): void {
  counter.reset();
  counter.inc(total);
}
