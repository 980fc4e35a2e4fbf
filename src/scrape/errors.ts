import type { Extraction } from '../extract/draft.ts';
import type { Failure } from '../store/rows.ts';

/** Items that are looked at before their share of errors means something. */
const fewest = 10;

/** Counts the items of a scrape, and those among them that should have been records and were none. */
export class ErrorTally {
  readonly #ceiling: number;
  #items = 0;
  #errors = 0;

  /** @param ceiling - the share of errors that a scrape may have, from 0 to 1. */
  constructor(ceiling: number) {
    this.#ceiling = ceiling;
  }

  /** Why the scrape is over, where too many items are errors by now. */
  add({ items, refused }: Pick<Extraction, 'items' | 'refused'>): Failure | undefined {
    this.#items += items;
    this.#errors += refused;
    if (this.#items < fewest || this.#errors <= this.#ceiling * this.#items) return undefined;
    const share = `${this.#errors} of ${this.#items} items`;
    return {
      code: 'too_many_errors',
      message: `${share} could not be read: expected at most ${this.#ceiling * 100} %`,
    };
  }
}
