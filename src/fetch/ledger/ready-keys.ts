import type { Offer } from './host-line.ts';
import type { Backlog } from './ledger-view.ts';
import { PriorityMap } from './priority-map.ts';

/**
 * The keys that may be asked now, in the order of their turns: by the due time of their first offers. Those that begin with a manual offer
 * come before the others, though not for two turns in a row while others wait. Each call is logarithmic in the number of keys.
 *
 * @typeParam K - a key.
 */
export class ReadyKeys<K> {
  readonly #manual = new PriorityMap<K>();
  readonly #usual = new PriorityMap<K>();
  /** The keys by the instant from which on they could be asked. */
  readonly #since = new PriorityMap<K>();
  /** Whether the last turn was for a manual offer. */
  #wasManual = false;

  /** The key that gets the next turn. */
  get first(): K | undefined {
    const [manual, usual] = [this.#manual.first, this.#usual.first];
    return manual !== undefined && (usual === undefined || !this.#wasManual) ? manual : usual;
  }

  /** The number of keys, and since when the one waits that has waited longest. */
  get backlog(): Backlog {
    const { size, lowest } = this.#since;
    return { turns: size, oldestAt: size === 0 ? undefined : lowest };
  }

  /** @param offer - the first offer of the key. */
  add(key: K, offer: Pick<Offer, 'dueAt' | 'isManual'> | undefined, now: number): void {
    const { dueAt = Infinity, isManual = false } = offer ?? {};
    (isManual ? this.#manual : this.#usual).set(key, dueAt);
    if (!this.#since.has(key)) this.#since.set(key, now);
  }

  /**
   * Takes a key out, until it is added again. A key that could be asked all along keeps its place in the backlog.
   *
   * @param nextAt - when it may be asked; `undefined` where that is not known, or nobody waits for it.
   */
  delete(key: K, nextAt: number | undefined): void {
    this.#manual.delete(key);
    this.#usual.delete(key);
    if (nextAt === undefined || nextAt > (this.#since.priorityOf(key) ?? Infinity)) this.#since.delete(key);
  }

  /** Records for what kind of offer a turn was granted. */
  granted({ isManual = false }: Pick<Offer, 'isManual'>): void {
    this.#wasManual = isManual;
  }
}
