import { politenessKey, type Source } from '../definition/source.ts';
import type { FetchRequest } from '../fetch/request.ts';
import { openProvider } from './all.ts';
import type { PulseBatch } from './provider.ts';

/** Targets that are asked for with one request, by their ids. */
export interface Batch {
  readonly request: FetchRequest;
  readonly targets: ReadonlyMap<string, number>;
}

/** Fills one batch after the other; each is full at its size, or where its address would be too long. */
export class BatchFiller {
  readonly #batch: PulseBatch;
  #members = new Map<string, number>();

  constructor(batch: PulseBatch) {
    this.#batch = batch;
  }

  /** Adds a target, if its address tells it apart; returns the batch that was full without it. */
  add(number: number, url: string): Batch | undefined {
    const { size, idOf, request } = this.#batch;
    const id = idOf(url) ?? (size === Infinity ? `${number}` : undefined);
    if (id === undefined) return undefined;
    const isFull = this.#members.size >= size || request([...this.#members.keys(), id]) === undefined;
    const full = isFull ? this.rest() : undefined;
    this.#members.set(id, number);
    return full;
  }

  /** What is left, if anything. */
  rest(): Batch | undefined {
    const targets = this.#members;
    const request = targets.size === 0 ? undefined : this.#batch.request([...targets.keys()]);
    this.#members = new Map();
    return request && { request, targets };
  }
}

/** Counts the requests of one round of a source's pulse, by politeness key: one for each target, or for each batch of them. */
export class PulseCount {
  /** From one round to the next. */
  readonly everyMs: number;
  readonly #source: Source;
  readonly #requestOf: (targetUrl: string) => FetchRequest | undefined;
  readonly #filler: BatchFiller | undefined;
  readonly #requests = new Map<string, number>();
  #targets = 0;

  /** @param everyMs - the daemon's interval, for a source that has none of its own. */
  constructor(source: Source, everyMs: number) {
    const pulse = openProvider(source).pulse;
    this.everyMs = pulse?.everyMs ?? everyMs;
    this.#source = source;
    this.#requestOf = (targetUrl) => pulse?.request(targetUrl);
    this.#filler = pulse?.batch && new BatchFiller(pulse.batch);
  }

  /** Adds a target of the source. */
  add(targetUrl: string): void {
    this.#targets += 1;
    this.#note(
      this.#filler === undefined ? this.#requestOf(targetUrl) : this.#filler.add(this.#targets, targetUrl)?.request,
    );
  }

  /** Those for all targets; called once, after the last of them. */
  requests(): ReadonlyMap<string, number> {
    this.#note(this.#filler?.rest()?.request);
    return this.#requests;
  }

  #note(request: FetchRequest | undefined): void {
    if (request === undefined) return;
    const key = politenessKey(this.#source, request.url);
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
  }
}
