import type { Message } from '../publish/sink.ts';
import type { Attempts } from '../store/tables/sinks.ts';

/** A message that is to be delivered. */
export interface Entry {
  /** The event's serial that the message's id names. */
  readonly serial: number;
  /** The first event that it tells of. */
  readonly from: number;
  readonly key: string;
  /** For a message of a sync, which has no event of its own: the event after which it was queued. */
  readonly place?: number;
  /** Makes the message, or reads it. */
  message(): Message;
}

/** The messages of one key, in order. */
interface Lane {
  readonly key: string;
  readonly entries: Entry[];
  /** Attempts of the first entry that failed. */
  attempts?: Attempts | undefined;
  state: 'ready' | 'busy' | 'waiting';
}

/**
 * Messages in lanes, one lane for each key: the messages of a lane are delivered one after the other, and a lane whose head failed waits.
 * A sink that is ordered as a whole has one lane for all keys.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** Lanes whose head may be delivered; who waited longest first. */
  readonly #ready = new Set<Lane>();
  readonly #isOne: boolean;

  constructor(ordered: 'key' | 'all') {
    this.#isOne = ordered === 'all';
  }

  hasReady(): boolean {
    return this.#ready.size > 0;
  }

  /** Adds an entry behind those of its key. Returns whether it waits behind one that failed. */
  add(entry: Entry): 'behind-failed' | 'in-line' {
    const lane = this.#laneOf(entry);
    lane.entries.push(entry);
    if (lane.state === 'ready') this.#ready.add(lane);
    return lane.attempts === undefined ? 'in-line' : 'behind-failed';
  }

  /** Takes the next batch: one entry of each key, or of the only lane as many as there are. Its lanes are busy until it is settled. */
  take(limit: number): Entry[] {
    const taken: Entry[] = [];
    for (const lane of this.#ready) {
      if (taken.length >= limit) break;
      this.#ready.delete(lane);
      lane.state = 'busy';
      // What failed before is tried alone.
      const most = this.#isOne && lane.attempts === undefined ? limit : 1;
      taken.push(...lane.entries.slice(0, most));
    }
    return taken;
  }

  /** Attempts of the head of an entry's lane so far. */
  attemptsOf(entry: Entry): Attempts | undefined {
    return this.#lanes.get(this.nameOf(entry))?.attempts;
  }

  /** Takes away the head of a lane, which is delivered or given up. */
  settle(entry: Entry): void {
    const lane = this.#laneOf(entry);
    lane.entries.shift();
    lane.attempts = undefined;
    if (lane.entries.length > 0) return;
    this.#lanes.delete(lane.key);
    this.#ready.delete(lane);
  }

  /** Notes that the head of a lane failed. Returns the entries behind it, which wait with it; none where the sink has one lane. */
  fail(entry: Entry, attempts: Attempts): readonly Entry[] {
    const lane = this.#laneOf(entry);
    lane.attempts = attempts;
    lane.state = 'waiting';
    this.#ready.delete(lane);
    return this.#isOne ? [] : lane.entries.slice(1);
  }

  /** Lets the lane of an entry go on, unless it waits for its time. */
  goOn(entry: Entry): void {
    const lane = this.#lanes.get(this.nameOf(entry));
    if (lane === undefined || lane.state === 'waiting') return;
    lane.state = 'ready';
    this.#ready.add(lane);
  }

  /** Lets a lane that waits try its head again. */
  due(key: string): void {
    const lane = this.#lanes.get(key);
    if (lane?.state !== 'waiting') return;
    lane.state = 'ready';
    this.#ready.add(lane);
  }

  /** The lanes whose head has failed. */
  *waiting(): Iterable<{ readonly lane: string; readonly attempts: Attempts }> {
    for (const { key, attempts } of this.#lanes.values()) if (attempts !== undefined) yield { lane: key, attempts };
  }

  /** The name by which `due` knows the lane of an entry. */
  nameOf({ key }: Entry): string {
    return this.#isOne ? '' : key;
  }

  #laneOf(entry: Entry): Lane {
    const key = this.nameOf(entry);
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane: Lane = { key, entries: [], state: 'ready' };
    this.#lanes.set(key, lane);
    return lane;
  }
}
