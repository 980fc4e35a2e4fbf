import { LRUCache } from 'lru-cache';
import { nanoid } from 'nanoid';
import { cacheTime } from '../clock.ts';
import type { Outcome } from '../dashboard/parts/view.ts';

/** How long what came of an action can be shown, in milliseconds, and how many are kept. */
const keptMs = 1_800_000;
const most = 1_000;

/** How many characters are kept of a result, of each of its texts, and of what a form had sent; and of all together. */
const [longestResult, longestText, longestForm, mostUnits] = [20_000, 500, 300_000, 32_000_000];

/** Keeps what came of actions for the pages that are shown behind them, each for the one who acted. */
export class Outcomes {
  readonly #kept: LRUCache<string, { readonly caller: string; readonly outcome: Outcome }>;

  constructor(monotonic: () => number) {
    this.#kept = new LRUCache({ max: most, maxSize: mostUnits, ttl: keptMs, ...cacheTime(monotonic) });
  }

  /** Keeps an outcome. Returns the name to find it by. */
  keep(caller: string, { result, given, ...outcome }: Outcome): string {
    const name = nanoid(10);
    const told = result === undefined ? '' : JSON.stringify(result, shortened);
    const form = given?.toString() ?? '';
    const kept = {
      ...outcome,
      ...(told !== '' && told.length <= longestResult && { result: JSON.parse(told) }),
      ...(form !== '' && form.length <= longestForm && { given }),
    };
    this.#kept.set(name, { caller, outcome: kept }, { size: 1_000 + told.length + form.length });
    return name;
  }

  /** Finds an outcome of a caller by its name. Returns nothing where it is not kept, or another's. */
  find(caller: string, name: string): Outcome | undefined {
    const found = this.#kept.get(name);
    return found?.caller === caller ? found.outcome : undefined;
  }
}

function shortened(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > longestText ? `${value.slice(0, longestText)}…` : value;
}
