import { backoffMs } from '../fetch/ledger/backoff.ts';
import type { Sink } from '../definition/sink.ts';
import type { Event } from '../event/catalogue.ts';
import type { Delivered, DeliveryFailure, Message } from '../publish/sink.ts';
import type { Store } from '../store/store.ts';
import { type Attempts, type ParkedRow, rowsOf, type SyncRow } from '../store/tables/sinks.ts';
import { defined } from '../defined.ts';
import { type LostEvents, lostMessage } from './event-message.ts';
import { type Entry, Lanes } from './lanes.ts';
import type { OpenGathering } from './open-gathering.ts';
import { Unsaved } from './unsaved.ts';

/** Limits of the messages that one sink parks. At a limit, the cursor of the sink stops. */
const mostParked = { rows: 10_000, bytes: 64 * 1024 * 1024 };
/** The largest number of events after the cursor that are remembered as delivered. */
const mostDone = 1_000;
/** The number of events by which the cursor may run ahead of the saved one while nothing else has to be saved. */
const unsavedEvents = 1_000;
/** The time in ms for which the cursor may run ahead of the saved one while nothing else has to be saved. */
export const unsavedMs = 1_000;

/** The dependencies of a backlog. */
export interface BacklogDeps {
  readonly store: Store;
  readonly gathering: OpenGathering;
  readonly ordered: 'key' | 'all';
  /** In `[0, 1)`. */
  random(): number;
}

/** The results of one batch. */
export interface Attempt {
  readonly batch: readonly Entry[];
  readonly messages: readonly Message[];
  readonly results: readonly Delivered[];
  readonly ms: number;
  /** Wall time. */
  readonly at: number;
}

/** The result of one message. */
export interface Settled {
  readonly lane: string;
  /** Missing where it was delivered. */
  readonly failure?: DeliveryFailure;
  /** When it is tried again; missing where it is not. */
  readonly retryAt?: number;
}

/**
 * What one sink has still to deliver, and how far it is. A message that failed is parked durably with those behind it of its key, so
 * that the cursor goes on; whatever is not parked is read from the log again after a crash.
 */
export class Backlog {
  /** The sync under way. */
  sync: SyncRow | undefined;
  readonly #sink: Sink;
  readonly #deps: BacklogDeps;
  readonly #lanes: Lanes;
  /** Messages that are not parked and not settled. */
  readonly #inLine = new Set<Entry>();
  /** The size of each parked message in bytes, by serial. */
  readonly #parked = new Map<number, number>();
  #parkedBytes = 0;
  /** Lanes of which a message could not be parked for want of room: none behind it may be, as it would be delivered first after a crash. */
  readonly #overfull = new Set<string>();
  /** For each lane that had parked messages when this backlog was opened: the newest event among them. Earlier events of the lane are settled. */
  readonly #settledTo = new Map<string, number>();
  readonly #done: Set<number>;
  /** Events that are no longer kept, of which the log is not told yet. */
  #lost: readonly LostEvents[] = [];
  #upTo: number;
  #saved: number;
  /** Messages that were settled since the last save began. */
  #settled = 0;
  #savedAt = 0;
  #unsaved = new Unsaved();
  #saving: Unsaved | undefined;

  /** Reads what the store has of the sink. A sink that it does not know begins with the events to come. */
  constructor(sink: Sink, deps: BacklogDeps) {
    this.#sink = sink;
    this.#deps = deps;
    this.#lanes = new Lanes(deps.ordered);
    const { cursors, events, sinks } = deps.store;
    const row = cursors.get(sink.id);
    this.#upTo = row?.serial ?? events.last();
    this.#saved = row?.serial ?? -1;
    this.#done = new Set(row?.done);
    this.sync = sinks.syncs.get(sink.id);
    const heads = new Map<string, { readonly entry: Entry; readonly attempts: Attempts }>();
    const parked: { readonly entry: Entry; readonly attempts: Attempts; readonly bytes: number }[] = [];
    for (const { key: of, row } of sinks.parked.entries(rowsOf(sink.id))) {
      const { message, bytes, place, ...attempts } = row;
      const [, number] = of;
      const entry = {
        serial: number,
        from: number,
        key: message.key,
        ...defined({ place }),
        message: () => this.#storedMessage(number),
      };
      parked.push({ entry, attempts, bytes });
    }
    // In the order in which they were taken.
    parked.sort(({ entry: one }, { entry: other }) => (one.place ?? one.serial) - (other.place ?? other.serial));
    for (const { entry, attempts, bytes } of parked) {
      const { serial: number } = entry;
      this.#lanes.add(entry);
      this.#parked.set(number, bytes);
      this.#parkedBytes += bytes;
      const lane = this.#lanes.nameOf(entry);
      if (number <= this.#newest()) this.#settledTo.set(lane, number);
      if (!heads.has(lane)) heads.set(lane, { entry, attempts });
    }
    for (const { entry, attempts } of heads.values()) if (attempts.attempts > 0) this.#lanes.fail(entry, attempts);
  }

  /** All events up to this one are delivered or parked. */
  get cursor(): number {
    let cursor = this.#upTo;
    const { gathering } = this.#deps;
    for (const { from } of this.#inLine) {
      cursor = Math.min(cursor, from - 1);
      // Of single events, the first that waits is the oldest.
      if (!gathering.isComposite && from !== Infinity) break;
    }
    return Math.min(cursor, (gathering.heldFrom() ?? Infinity) - 1);
  }

  /** Messages that are neither parked nor settled. */
  get inLine(): number {
    return this.#inLine.size;
  }

  hasReady(): boolean {
    return this.#lanes.hasReady();
  }

  /** The keys whose head has failed, and when each is due. */
  *waiting(): Iterable<{ readonly lane: string; readonly at: number }> {
    for (const { lane, attempts } of this.#lanes.waiting()) yield { lane, at: attempts.nextAt };
  }

  due(lane: string): void {
    this.#lanes.due(lane);
  }

  take(limit: number): Entry[] {
    return this.#lanes.take(limit);
  }

  add(given: Entry): void {
    // What tells of no event is behind all events that were read until now.
    const entry = given.from === Infinity ? { ...given, place: this.#upTo } : given;
    if (this.#done.has(entry.serial)) return;
    const isSettled = entry.serial < (this.#settledTo.get(this.#lanes.nameOf(entry)) ?? 0);
    if (isSettled && !this.#deps.gathering.isComposite) return;
    if (this.#parked.has(entry.serial)) {
      // A record of a sync that waits since another one: what it is now is told in its place.
      this.#unsaved.parked.set(entry.serial, { ...this.#storedRow(entry.serial), message: entry.message() });
      return;
    }
    this.#inLine.add(entry);
    if (this.#lanes.add(entry) === 'behind-failed' && this.#deps.ordered === 'key') this.#parkBehind(entry);
  }

  /** Notes that the log was read up to an event. */
  readTo(serial: number): void {
    this.#upTo = serial;
  }

  /**
   * Notes that events which were not read are no longer kept: the receiver is told, and the log once that is settled or parked.
   *
   * @param next - the first event that is kept.
   */
  lagged(next: Pick<Event, 'id' | 'at'>): void {
    const lost = { from: this.#upTo + 1, to: next.id - 1, at: next.at };
    const message = lostMessage(this.#deps.store, this.#sink.id, lost);
    this.#lost = [...this.#lost, lost];
    this.add({ serial: lost.from, from: lost.from, key: message.key, message: () => message });
    this.readTo(lost.to);
  }

  messageOf(entry: Entry): Message {
    return this.#parked.has(entry.serial) ? this.#storedMessage(entry.serial) : entry.message();
  }

  /** Records the results of a batch. Returns the result of each message. */
  settle({ batch, messages, results, ms, at }: Attempt): Settled[] {
    const settled: Settled[] = [];
    let delivered = 0;
    for (const [index, entry] of batch.entries()) {
      const [message, result] = [messages[index], results[index]];
      if (message === undefined || result === undefined) break;
      const before = this.#lanes.attemptsOf(entry);
      const attempt = (before?.attempts ?? 0) + 1;
      const { id, key, type } = message;
      const row = { at, id, key, type, attempt, ms: Math.round(result.ms ?? ms) };
      if (result.ok) {
        delivered += 1;
        this.#leave(entry);
        if (this.#deps.gathering.isComposite) this.#done.add(entry.serial);
        const isRun = delivered > 1 && results[index - 1]?.ok === true;
        if (isRun) this.#unsaved.deliveries.pop();
        this.#unsaved.deliveries.push({
          ...row,
          ...defined({ status: result.status }),
          ...(isRun && { messages: delivered }),
        });
        settled.push({ lane: this.#lanes.nameOf(entry) });
        continue;
      }
      delivered = 0;
      const { failure } = result;
      // This life ends, and nothing is known of the message.
      if (failure.code === 'cancelled') break;
      this.#unsaved.deliveries.push({ ...row, failure });
      settled.push(this.#failed(entry, message, { attempts: attempt, firstAt: before?.firstAt ?? at, failure }, at));
      if (this.#deps.ordered === 'all') break;
    }
    for (const entry of batch) this.#lanes.goOn(entry);
    this.#settled += settled.length;
    return settled;
  }

  /** Records the result of a test. */
  tested(message: Message, result: Delivered, ms: number, at: number): void {
    const { id, key, type } = message;
    const outcome = result.ok ? defined({ status: result.status }) : { failure: result.failure };
    this.#unsaved.deliveries.push({ at, id, key, type, attempt: 1, ms: Math.round(ms), ...outcome });
  }

  /** Notes how far a sync is; `undefined` where it is over. */
  syncTo(sync: SyncRow | undefined): void {
    this.sync = sync;
    this.#unsaved.sync = sync ?? 'over';
  }

  /** Messages that were settled since the last save, and are sent again after a kill. */
  get unsaved(): number {
    return this.#settled;
  }

  /** Whether the cursor is ahead of what is saved. */
  isCursorAhead(): boolean {
    return this.cursor !== this.#saved;
  }

  /** Whether there is something to save now. */
  isDirty(now: number): boolean {
    if (!this.#unsaved.isEmpty() || this.#saved < 0) return true;
    return this.isCursorAhead() && (now - this.#savedAt >= unsavedMs || this.cursor - this.#saved >= unsavedEvents);
  }

  /** Saves what is not saved. Resolves with false where the disk is full: it is kept for another try. */
  async save(store: Store): Promise<boolean> {
    const { cursor } = this;
    const saving = this.#unsaved;
    for (const serial of this.#done) if (serial <= cursor) this.#done.delete(serial);
    const done = [...this.#done].slice(-mostDone);
    saving.cursor = { serial: cursor, ...(done.length > 0 && { done }) };
    const { id: sink } = this.#sink;
    for (const { from, to } of this.#lost.filter((lost) => lost.to <= cursor))
      saving.events.push({ type: 'sink.lagged', data: { sink, from, to } });
    this.#lost = this.#lost.filter((lost) => lost.to > cursor);
    this.#unsaved = new Unsaved();
    this.#saving = saving;
    this.#settled = 0;
    this.#savedAt = store.now();
    const saved = await saving.save(store, sink);
    this.#saving = undefined;
    if (saved) this.#saved = cursor;
    else this.#unsaved = saving.followedBy(this.#unsaved);
    return saved;
  }

  #failed(
    entry: Entry,
    message: Message,
    {
      attempts,
      firstAt,
      failure,
    }: { readonly attempts: number; readonly firstAt: number; readonly failure: DeliveryFailure },
    at: number,
  ): Settled {
    const { id: sink, retry } = this.#sink;
    const lane = this.#lanes.nameOf(entry);
    if (failure.isFinal === true || at - firstAt >= retry.giveUpAfter) {
      const known = { attempts, firstAt, nextAt: at, failure };
      const row = { ...known, message, bytes: sizeOf(message), ...defined({ place: entry.place }) };
      this.#unsaved.dead.set(entry.serial, row);
      if (this.#deps.gathering.isComposite) this.#done.add(entry.serial);
      this.#leave(entry);
      const { id, key, type } = message;
      const { code, message: text } = failure;
      const told = { sink, id, key, type, attempts, failure: { code, message: text } };
      // The dead letter of a message on a sink is told by nothing but the sink's own list.
      if (!type.startsWith('sink.')) this.#unsaved.events.push({ type: 'sink.dead_letter', data: told });
      return { lane, failure };
    }
    const { first, longest } = retry;
    const delayMs = Math.max(
      backoffMs(attempts, { baseMs: first, maxMs: longest }, this.#deps.random()),
      failure.retryAfterMs ?? 0,
    );
    // The last attempt is made when the time is up, not later.
    const nextAt = Math.min(at + delayMs, Math.max(firstAt + retry.giveUpAfter, at + (failure.retryAfterMs ?? 0)));
    const known = { attempts, firstAt, nextAt, failure };
    const behind = this.#lanes.fail(entry, known);
    this.#overfull.delete(lane);
    this.#park(entry, message, known);
    for (const each of behind) this.#parkBehind(each);
    return { lane, failure, retryAt: nextAt };
  }

  /** Parks a message that waits behind another one of its key, if there is room. */
  #parkBehind(entry: Entry): void {
    if (this.#parked.has(entry.serial) || this.#overfull.has(this.#lanes.nameOf(entry))) return;
    this.#park(entry, entry.message(), { attempts: 0, firstAt: 0, nextAt: 0 });
  }

  #park(entry: Entry, message: Message, attempts: Attempts): void {
    const bytes = this.#parked.get(entry.serial) ?? sizeOf(message);
    if (!this.#parked.has(entry.serial)) {
      if (this.#parked.size >= mostParked.rows || this.#parkedBytes + bytes > mostParked.bytes) {
        this.#overfull.add(this.#lanes.nameOf(entry));
        return;
      }
      this.#parked.set(entry.serial, bytes);
      this.#parkedBytes += bytes;
      this.#inLine.delete(entry);
    }
    this.#unsaved.parked.set(entry.serial, { ...attempts, message, bytes, ...defined({ place: entry.place }) });
  }

  /** Removes the head of a lane. */
  #leave(entry: Entry): void {
    this.#lanes.settle(entry);
    this.#inLine.delete(entry);
    this.#overfull.delete(this.#lanes.nameOf(entry));
    const bytes = this.#parked.get(entry.serial);
    if (bytes === undefined) return;
    this.#parked.delete(entry.serial);
    this.#parkedBytes -= bytes;
    this.#unsaved.parked.set(entry.serial, undefined);
  }

  #newest(): number {
    return this.#deps.store.events.last();
  }

  #storedMessage(serial: number): Message {
    return this.#storedRow(serial).message;
  }

  #storedRow(serial: number): ParkedRow {
    const row =
      this.#unsaved.parked.get(serial) ??
      this.#saving?.parked.get(serial) ??
      this.#deps.store.sinks.parked.get([this.#sink.id, serial]);
    if (row === undefined) throw new Error(`sink "${this.#sink.id}": expected message ${serial} to be parked`);
    return row;
  }
}

function sizeOf(message: Message): number {
  return Buffer.byteLength(JSON.stringify(message));
}
