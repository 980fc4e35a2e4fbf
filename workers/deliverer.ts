import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Reply, Self } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import type { Catalogue } from '../src/definition/catalogue.ts';
import { kindOf, type Sink } from '../src/definition/sink.ts';
import { openGathering } from '../src/delivery/open-gathering.ts';
import { Backlog, unsavedMs } from '../src/delivery/backlog.ts';
import { Quiet } from '../src/delivery/quiet.ts';
import { readSync } from '../src/delivery/sync.ts';
import { wantedOf } from '../src/delivery/wanted.ts';
import type { Entry } from '../src/delivery/lanes.ts';
import type { Delivered, Message, OpenSink, SinkPorts } from '../src/publish/sink.ts';
import { openSink, sinkKinds } from '../src/publish/sinks/all.ts';
import { follow, type LogSlice } from '../src/store/follow.ts';
import type { Store } from '../src/store/store.ts';
import type { SyncRow } from '../src/store/tables/sinks.ts';

/** The messages of a deliverer. */
export type DelivererMessage =
  | { readonly type: 'read'; readonly slice: LogSlice | undefined }
  | {
      readonly type: 'delivered';
      readonly batch: readonly Entry[];
      readonly messages: readonly Message[];
      readonly results: readonly Delivered[];
      readonly ms: number;
    }
  | { readonly type: 'saved'; readonly saved: boolean }
  /** The disk may have room again. */
  | { readonly type: 'room' }
  /** A key whose head failed may be tried again. */
  | { readonly type: 'due'; readonly lane: string }
  /** Something that waited for an instant may go on. */
  | { readonly type: 'wake' }
  /** Delivers one message besides the others, and answers with what came of it. */
  | Test
  | {
      readonly type: 'tested';
      readonly message: Message;
      readonly result: Delivered;
      readonly ms: number;
      readonly reply: Reply<Tested>;
    }
  | { readonly type: 'status'; readonly reply: Reply<DelivererStatus> };

interface Test {
  readonly type: 'test';
  readonly message: Message;
  readonly reply: Reply<Tested>;
}

/** The result of a test, and how long the test took. */
export interface Tested {
  readonly result: Delivered;
  readonly ms: number;
}

/** The state of a deliverer beyond what the store says. */
export interface DelivererStatus {
  readonly underWay: number;
  /** The instant until which nothing is sent, because of failures, mute hours, or as the receiver asked. */
  readonly quietUntil?: number;
}

/** The dependencies of a deliverer. */
export interface DelivererDeps {
  readonly clock: Clock;
  /** In `[0, 1)`. */
  random(): number;
  readonly registry: Registry<string, DelivererMessage>;
  readonly store: Store;
  catalogue(): Catalogue;
  /** Opens what the sink may use of the daemon; closed with the deliverer. */
  openPorts(sink: string): { readonly ports: SinkPorts; close(): Promise<void> };
}

/** Batches of one sink that are under way at once, where their keys differ. */
const mostUnderWay = 8;
/** Messages in memory that were not tried yet, beyond which the log is not read on; or two batches, if that is more. */
const mostInLine = 500;
/** Messages that are saved in one transaction while there are more. */
const savedTogether = 200;
/** The pause before the rows of a sink are written again for which the disk had no room, in ms. */
const fullMs = 30_000;

/** Delivers what one sink wants of the event log: at least once, in order for each key. */
export async function deliverer(
  self: Self<DelivererMessage>,
  sink: Sink,
  deps: DelivererDeps,
): Promise<Behaviour<DelivererMessage>> {
  self.trapExit();
  self.register(deps.registry, sink.id);
  const { clock, store } = deps;
  const { name, options } = kindOf(sink);
  const { ordered = 'key', batch: batchSize = 1, also } = sinkKinds[name];
  const { ports, close } = deps.openPorts(sink.id);
  const receiver: OpenSink = await openSink(name, options, ports);
  // What an earlier life had begun to save, when it was killed, is read as well.
  await store.write(() => undefined, { evenWhenFull: true });
  const gathering = openGathering(sink, { store, catalogue: () => deps.catalogue(), also });
  const quiet = new Quiet(sink.mute, sink.retry);
  const backlog = new Backlog(sink, { store, gathering, ordered, random: () => deps.random() });
  const log = follow(store, backlog.cursor, {}, self.signal);
  const roomInLine = Math.max(mostInLine, 2 * batchSize);
  const retries = new Set<string>();
  const tests: Test[] = [];
  let isReading = false;
  let isCaughtUp = backlog.cursor === store.events.last();
  let isSaving = false;
  let isFull = false;
  /** How far the sync is once all that is in line is settled or parked; `over` where that is all of it. */
  let syncNext: SyncRow | 'over' | undefined;
  let underWay = 0;
  let wakeAt = Infinity;
  let wakeTimer: number | undefined;
  for (const waiting of backlog.waiting()) retryAt(waiting.lane, waiting.at);
  self.send({ type: 'wake' });

  return {
    receive(message) {
      switch (message.type) {
        case 'read':
          read(message.slice);
          break;
        case 'delivered':
          delivered(message);
          break;
        case 'saved':
          isSaving = false;
          isFull = !message.saved;
          if (isFull) self.after(fullMs, { type: 'room' });
          break;
        case 'room':
          isFull = false;
          break;
        case 'due':
          retries.delete(message.lane);
          backlog.due(message.lane);
          break;
        case 'wake':
          wakeAt = Infinity;
          break;
        case 'test':
          tests.push(message);
          break;
        case 'tested':
          tested(message);
          break;
        case 'status': {
          const quietUntil = quiet.until(clock.now());
          return message.reply({ underWay, ...(quietUntil !== undefined && { quietUntil }) });
        }
        default:
          message satisfies never;
      }
      return goOn();
    },
    async stop() {
      if (!store.isClosed()) await backlog.save(store);
      await receiver.close();
      await close();
    },
  };

  /** Starts everything that can be done now, and sets a timer for the rest. */
  function goOn(): void {
    const now = clock.now();
    if (isCaughtUp) for (const entry of gathering.release(now)) backlog.add(entry);
    if (isCaughtUp && backlog.sync !== undefined && backlog.inLine === 0 && underWay === 0) syncOn();
    deliver(now);
    readOn();
    save();
    const quietUntil = backlog.hasReady() ? quiet.until(now) : undefined;
    const dueAt = isCaughtUp ? gathering.dueAt() : undefined;
    arm(Math.min(quietUntil ?? Infinity, dueAt ?? Infinity, backlog.isCursorAhead() ? now + unsavedMs : Infinity), now);
  }

  function readOn(): void {
    if (isReading || backlog.inLine >= roomInLine) return;
    isReading = true;
    self.task(
      async () => (await log.next()).value ?? undefined,
      (slice) => ({ type: 'read', slice }),
    );
  }

  function read(slice: LogSlice | undefined): void {
    // The store is closed, or this life is over.
    if (slice === undefined) return;
    isReading = false;
    const [first] = slice.events;
    if (slice.trimmedTo !== undefined && first !== undefined) backlog.lagged(first);
    const wanted = wantedOf(sink, { store, catalogue: () => deps.catalogue() });
    for (const event of slice.events) {
      const selected = gathering.select(event);
      if (selected === undefined) continue;
      const found = wanted(event) ?? (selected === 'always' ? {} : undefined);
      if (found !== undefined) for (const entry of gathering.take(event, found.link)) backlog.add(entry);
    }
    backlog.readTo(slice.upTo);
    isCaughtUp = slice.behind === 0;
  }

  /**
   * Reads the next records of a sync. The position of a sync is stored only once all records before it are settled or parked, so that a
   * crash loses none.
   */
  function syncOn(): void {
    if (syncNext !== undefined) backlog.syncTo(syncNext === 'over' ? undefined : syncNext);
    syncNext = undefined;
    const { sync } = backlog;
    if (sync === undefined) return;
    const next = readSync(sync, { sink, store, catalogue: deps.catalogue(), now: clock.now() });
    for (const entry of next.entries) backlog.add(entry);
    syncNext = next.sync ?? 'over';
    // Nothing of the slice is to be delivered: the next one is read once other work has had its turn.
    if (backlog.inLine === 0) self.send({ type: 'wake' });
  }

  function deliver(now: number): void {
    const most = ordered === 'all' || quiet.isProbing ? 1 : mostUnderWay;
    // A person who tries a sink wants to know now.
    while ((ordered === 'key' || underWay === 0) && tests.length > 0) {
      const next = tests.shift();
      if (next !== undefined) test(next);
    }
    while (underWay < most && backlog.hasReady() && quiet.until(now) === undefined) {
      const batch = backlog.take(quiet.isProbing ? 1 : batchSize);
      const messages = batch.map((entry) => backlog.messageOf(entry));
      underWay += 1;
      const startedAt = clock.monotonic();
      self.task(
        (signal) => receiver.deliver(messages, signal),
        (results) => ({ type: 'delivered', batch, messages, results, ms: clock.monotonic() - startedAt }),
      );
    }
  }

  function delivered({
    batch,
    messages,
    results,
    ms,
  }: Extract<DelivererMessage, { readonly type: 'delivered' }>): void {
    underWay -= 1;
    const now = clock.now();
    if (results.length !== batch.length)
      throw new Error(`sink "${sink.id}": expected ${batch.length} results, got ${results.length}`);
    for (const { lane, failure, retryAt: at } of backlog.settle({ batch, messages, results, ms, at: now })) {
      if (failure === undefined) quiet.succeeded();
      else quiet.failed(failure, now, deps.random());
      if (at !== undefined) retryAt(lane, at);
    }
  }

  function retryAt(lane: string, at: number): void {
    if (retries.has(lane)) return;
    retries.add(lane);
    self.after(Math.max(0, at - clock.now()), { type: 'due', lane });
  }

  function test({ message, reply }: Test): void {
    underWay += 1;
    const startedAt = clock.monotonic();
    self.task(
      (signal) => receiver.deliver([message], signal),
      ([result]) => ({
        type: 'tested',
        message,
        result: result ?? { ok: false, failure: { code: 'no_result', message: 'the sink gave no result' } },
        ms: clock.monotonic() - startedAt,
        reply,
      }),
    );
  }

  function tested({ message, result, ms, reply }: Extract<DelivererMessage, { readonly type: 'tested' }>): void {
    underWay -= 1;
    const took = result.ms ?? ms;
    backlog.tested(message, result, took, clock.now());
    reply({ result, ms: took });
  }

  function save(): void {
    // While there is more to deliver, several are saved together.
    if (isSaving || isFull || (underWay > 0 && backlog.hasReady() && backlog.unsaved < savedTogether)) return;
    if (!backlog.isDirty(clock.now())) return;
    isSaving = true;
    self.task(
      () => backlog.save(store),
      (saved) => ({ type: 'saved', saved }),
    );
  }

  function arm(at: number, now: number): void {
    if (at >= wakeAt) return;
    if (wakeTimer !== undefined) self.cancel(wakeTimer);
    wakeAt = at;
    wakeTimer = at === Infinity ? undefined : self.after(Math.max(0, at - now), { type: 'wake' });
  }
}
