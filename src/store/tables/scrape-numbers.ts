import type { metaTable } from './meta.ts';

/** Numbers that are reserved at once. */
const block = 1_000;

/**
 * The numbers of scrapes, which count up and are never given twice. A scrape gets its number before anything of it is
 * written, so numbers are reserved in the store in blocks; a process that is killed leaves the rest of its block unused.
 */
export class ScrapeNumbers {
  readonly #meta: ReturnType<typeof metaTable>;
  readonly #lastWritten: () => number;
  #last: number | undefined;
  /** Up to here, numbers are known to be reserved by a committed change. */
  #reserved = 0;
  #isReleased = false;

  /** @param lastWritten - the highest number of a row, for a store in which no block was reserved yet. */
  constructor(meta: ReturnType<typeof metaTable>, lastWritten: () => number) {
    this.#meta = meta;
    this.#lastWritten = lastWritten;
  }

  /** The highest number that was given, or that an ended process may have given. */
  last(): number {
    return (this.#last ??= Math.max(this.#meta.reservedScrapes() ?? 0, this.#lastWritten()));
  }

  /** Reserves a block within a transaction, unless a number is left. */
  reserve(): void {
    const last = this.last();
    if (last >= (this.#meta.reservedScrapes() ?? 0)) this.#meta.reserveScrapes(last + block);
  }

  /** Takes the next number within a transaction. */
  take(): number {
    this.reserve();
    return (this.#last = this.last() + 1);
  }

  /** Whether a number is left that a committed change has reserved. To be called outside of a transaction. */
  isReserved(): boolean {
    if (this.#isReleased) return false;
    if (this.last() >= this.#reserved) this.#reserved = this.#meta.reservedScrapes() ?? 0;
    return this.last() < this.#reserved;
  }

  /** Takes the next number outside of a transaction; `undefined` where none is reserved. */
  takeReserved(): number | undefined {
    return this.isReserved() ? (this.#last = this.last() + 1) : undefined;
  }

  /** Leaves out the next numbers, within a transaction. May be run twice. */
  skip(count: number): void {
    const last = Math.max(this.#meta.reservedScrapes() ?? 0, this.#lastWritten());
    this.#meta.reserveScrapes(last + count);
    this.#last = undefined;
  }

  /** Whether this process left a part of its block unused. */
  hasSpare(): boolean {
    return this.#last !== undefined && this.#last < (this.#meta.reservedScrapes() ?? 0);
  }

  /** Gives back, within a transaction, what is left of the block. No reserved number can be taken after that. */
  release(): void {
    this.#isReleased = true;
    this.#meta.reserveScrapes(this.last());
  }
}
