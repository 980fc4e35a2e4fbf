import { PriorityMap } from './priority-map.ts';

/** The causes that shut a line: a circuit that is not closed, a robots.txt or log-in that must come first, or an operator who paused it. */
export type LineHoldKind = 'circuit' | 'preparation' | 'pause';

/** Why no offer of a line gets a turn, though the host may be asked, and until when: `Infinity` until the line is opened. */
export interface LineHold {
  readonly why: LineHoldKind;
  readonly until: number;
}

/** A line of a host that is shut. */
export interface ShutLine<H> extends LineHold {
  readonly host: H;
  readonly name: string;
}

/**
 * The lines that are shut, of all hosts.
 *
 * @typeParam H - a host.
 */
export class ShutLines<H extends object> {
  readonly #ofHosts = new Map<H, Map<string, ShutLine<H>>>();
  readonly #ofName = new Map<string, Set<ShutLine<H>>>();
  readonly #byUntil = new PriorityMap<ShutLine<H>>();

  /** The instant until which the first of them is shut; `Infinity` for none. */
  get wakeAt(): number {
    return this.#byUntil.lowest;
  }

  /** Why a line is shut; `undefined` for one that is open. */
  holdOf(host: H, name: string): ShutLine<H> | undefined {
    return this.#ofHosts.get(host)?.get(name);
  }

  hasAny(host: H): boolean {
    return this.#ofHosts.has(host);
  }

  add(line: ShutLine<H>): void {
    const { host, name, until } = line;
    const ofHost = this.#ofHosts.get(host) ?? new Map<string, ShutLine<H>>();
    this.#ofHosts.set(host, ofHost.set(name, line));
    const ofName = this.#ofName.get(name) ?? new Set();
    this.#ofName.set(name, ofName.add(line));
    if (until < Infinity) this.#byUntil.set(line, until);
  }

  delete(line: ShutLine<H>): void {
    const { host, name } = line;
    remove(this.#ofHosts, host, name);
    remove(this.#ofName, name, line);
    this.#byUntil.delete(line);
  }

  /** The lines whose instant has come. */
  *due(now: number): Generator<ShutLine<H>> {
    for (let line = this.#byUntil.first; line && this.#byUntil.lowest <= now; line = this.#byUntil.first) {
      this.delete(line);
      yield line;
    }
  }

  /** All lines that were shut for one cause. */
  of(why: LineHoldKind): ShutLine<H>[] {
    return [...this.#ofName.values()].flatMap((lines) => [...lines].filter((line) => line.why === why));
  }

  /** The lines of a name that were shut for one cause. */
  named(name: string, why: LineHoldKind): ShutLine<H>[] {
    return [...(this.#ofName.get(name) ?? [])].filter((line) => line.why === why);
  }
}

/** Removes an item from the collection of a key, and the collection with its last item. */
function remove<K, T>(all: Map<K, { delete(item: T): boolean; readonly size: number }>, key: K, item: T): void {
  const some = all.get(key);
  some?.delete(item);
  if (some?.size === 0) all.delete(key);
}
