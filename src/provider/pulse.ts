import { definitionVersion, politenessKey, type Source } from '../definition/source.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { OpenPulse, PulseBatch } from './provider.ts';
import { keyFields } from '../definition/record-key.ts';
import { fillUrl, matchUrl, maxUrlLength, placeholdersOf } from '../definition/url-pattern.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import { defined } from '../defined.ts';
import { documentOf, fieldPlans, placePlan } from './plans.ts';
import { requestOf } from './requests.ts';

/** The one data point of a source, where its definition says how it is asked. */
export function openPulse(source: Source): OpenPulse | undefined {
  const { pulse } = source;
  const each = pulse?.each;
  const key = pulse === undefined ? undefined : source.records[pulse.record]?.key;
  if (pulse === undefined || key === undefined) return undefined;
  const plan: ExtractPlan = {
    id: `${definitionVersion(source)}/pulse`,
    ...documentOf({ ...source, provider: pulse.provider ?? source.provider }),
    records: [
      {
        type: pulse.record,
        key: keyFields(key),
        ...defined({ each: each && placePlan(each) }),
        fields: fieldPlans(pulse.fields),
      },
    ],
  };
  return {
    ...defined({ everyMs: pulse.every, batch: each && openBatch(pulse, source) }),
    request(targetUrl) {
      const url = pulse.url === undefined ? targetUrl : pulseUrl(pulse.url, source.url, targetUrl);
      return url === undefined ? undefined : requestOf(source, url);
    },
    reading: { source: source.id, plan, limitMs: source.limits.extract },
  };
}

/** Builds requests for many targets each, or for all targets if the pulse's address has no placeholder. */
function openBatch({ url = '', batch = 50 }: NonNullable<Source['pulse']>, source: Source): PulseBatch {
  const [name = ''] = placeholdersOf(source.url ?? '');
  return {
    size: placeholdersOf(url).length === 0 ? Infinity : batch,
    idOf: (targetUrl) => matchUrl(source.url ?? '', targetUrl)?.[name],
    request(ids) {
      const filled = url.replaceAll('{ids}', ids.map((id) => encodeURIComponent(id.toWellFormed())).join(','));
      return filled.length > maxUrlLength ? undefined : requestOf(source, filled);
    },
  };
}

/** The pulse's pattern, filled with what the target's address has in the places of the source's pattern. */
function pulseUrl(pattern: string, sourcePattern: string | undefined, targetUrl: string): string | undefined {
  const names = placeholdersOf(pattern);
  const params = names.length === 0 ? {} : matchUrl(sourcePattern ?? '', targetUrl);
  if (params === undefined) return undefined;
  const filled = fillUrl(pattern, Object.fromEntries(Object.entries(params).filter(([name]) => names.includes(name))));
  return filled.ok ? filled.url : undefined;
}

/** Targets that are asked for with one request, by their ids. */
export interface TargetBatch {
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
  add(number: number, url: string): TargetBatch | undefined {
    const { size, idOf, request } = this.#batch;
    const id = idOf(url) ?? (size === Infinity ? `${number}` : undefined);
    if (id === undefined) return undefined;
    const isFull = this.#members.size >= size || request([...this.#members.keys(), id]) === undefined;
    const full = isFull ? this.rest() : undefined;
    this.#members.set(id, number);
    return full;
  }

  /** The last batch, if any target is left. */
  rest(): TargetBatch | undefined {
    const targets = this.#members;
    const request = targets.size === 0 ? undefined : this.#batch.request([...targets.keys()]);
    this.#members = new Map();
    return request && { request, targets };
  }
}

/** Counts the requests of one round of a source's pulse, by politeness key: one for each target, or for each batch of them. */
export class PulseCount {
  /** The interval from one round to the next, in ms. */
  readonly everyMs: number;
  readonly #source: Source;
  readonly #requestOf: (targetUrl: string) => FetchRequest | undefined;
  readonly #filler: BatchFiller | undefined;
  readonly #requests = new Map<string, number>();
  #targets = 0;

  private constructor(source: Source, pulse: OpenPulse, everyMs: number) {
    this.everyMs = pulse.everyMs ?? everyMs;
    this.#source = source;
    this.#requestOf = (targetUrl) => pulse.request(targetUrl);
    this.#filler = pulse.batch && new BatchFiller(pulse.batch);
  }

  /**
   * The count of a source; `undefined` for a source without a pulse.
   *
   * @param everyMs - the daemon's interval, for a pulse that has none of its own.
   */
  static of(source: Source, everyMs: number): PulseCount | undefined {
    const pulse = openPulse(source);
    return pulse && new PulseCount(source, pulse, everyMs);
  }

  /** Whether one request asks for many targets. */
  get isOfMany(): boolean {
    return this.#filler !== undefined;
  }

  /** Adds a target of the source. */
  add(targetUrl: string): void {
    this.#targets += 1;
    this.#note(
      this.#filler === undefined ? this.#requestOf(targetUrl) : this.#filler.add(this.#targets, targetUrl)?.request,
    );
  }

  /** The requests of a round by politeness key; called once, after the last target. */
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
