import type { RecordDraft } from '../extract/draft.ts';
import type { ListPlace } from '../provider/provider.ts';
import type { ListGap } from '../store/tables/rows.ts';

/** What a walk over a list needs to close the gaps that earlier scrapes left. */
export interface ListGapsOptions {
  /** The version of the definition. */
  readonly version: string;
  /** The gaps, the newest first. */
  readonly gaps: readonly ListGap[];
  /** The number of the last scrape that completed. What it and earlier ones stored lies below a gap that this scrape leaves. */
  readonly settled: number;
  /** Whether a scrape up to the number `upTo` has stored the record. */
  isStored(draft: RecordDraft, upTo: number): boolean;
  /** Wall time. */
  now(): number;
}

/** Gaps that a target keeps at most; the oldest two of more become one. */
const mostGaps = 20;

/**
 * The gaps of a list: what lies between the last page that a cut scrape read and the items that were known before it. A later scrape goes
 * on there once it has read what is new, for as many pages as a scrape may read of new items; what is left is closed by the next.
 */
export class ListGaps {
  readonly #options: ListGapsOptions;
  readonly #first: ListPlace;
  readonly #maxPages: number;
  #gaps: readonly ListGap[];
  #pages = 0;
  #phase: 'head' | 'closing' | 'over' = 'head';

  constructor(options: ListGapsOptions, { first, maxPages }: { readonly first: ListPlace; readonly maxPages: number }) {
    this.#options = options;
    this.#first = first;
    this.#maxPages = maxPages;
    this.#gaps = options.gaps;
  }

  /** The gaps as they are now; `undefined` while they are as they were. */
  get changed(): readonly ListGap[] | undefined {
    return this.#gaps === this.#options.gaps ? undefined : this.#gaps;
  }

  get isClosing(): boolean {
    return this.#phase === 'closing';
  }

  /** Whether no gap is left. */
  get areClosed(): boolean {
    return this.#gaps.length === 0;
  }

  /** The page at which the newest gap is to be closed; `undefined` where none is left, or the scrape has read enough. */
  begin(): ListPlace | undefined {
    const [gap] = this.#gaps;
    this.#phase = gap === undefined || this.#isSpent ? 'over' : 'closing';
    if (gap === undefined || this.#phase === 'over') return undefined;
    return gap.version === this.#options.version ? gap.place : this.#first;
  }

  /**
   * Notes a page that was read in the newest gap. `closed`: it ends with an item from below. `moved`: it begins with an item that no
   * scrape has stored, so that items between may have been passed. `spent`: the scrape has read enough.
   */
  read(at: ListPlace, own: readonly RecordDraft[]): 'closed' | 'moved' | 'spent' | 'go on' {
    const [gap, ...older] = this.#gaps;
    const { isStored, version } = this.#options;
    if (gap === undefined) return 'closed';
    this.#pages += 1;
    const [head, last] = [own[0], own.at(-1)];
    const isBegin = at === gap.place && at.page > 1;
    if (isBegin && head !== undefined && !isStored(head, Infinity)) {
      this.#gaps = [{ ...gap, version, place: this.#first }, ...older];
      return this.#isSpent ? 'spent' : 'moved';
    }
    if (last !== undefined && isStored(last, gap.known)) {
      this.#gaps = older;
      return 'closed';
    }
    this.#gaps = [{ ...gap, version, place: at }, ...older];
    return this.#isSpent ? 'spent' : 'go on';
  }

  /** Notes that a page in the gap could not be had. Where its address may be wrong, the gap is looked for from the first page on. */
  failed(mayPass: boolean): void {
    const [gap, ...older] = this.#gaps;
    if (gap !== undefined && !mayPass)
      this.#gaps = [{ ...gap, version: this.#options.version, place: this.#first }, ...older];
  }

  /** Leaves a gap behind a page, where the limit of pages cuts the walk. */
  leave({ url, page, cursor, body, size }: ListPlace): void {
    const { version, settled, now } = this.#options;
    const place = { url, page, ...(cursor !== undefined && { cursor }), ...(body && { body }), ...(size && { size }) };
    const gaps = [{ version, place, known: settled, since: now() }, ...this.#gaps];
    const [last, beforeLast] = [gaps.at(-1), gaps.at(-2)];
    const isFull = gaps.length > mostGaps && last !== undefined && beforeLast !== undefined;
    this.#gaps = isFull ? [...gaps.slice(0, -2), { ...beforeLast, known: last.known }] : gaps;
  }

  /** Notes that the list was read to its end, so that nothing is left. */
  end(): void {
    if (this.#gaps.length > 0) this.#gaps = [];
  }

  get #isSpent(): boolean {
    return this.#pages >= this.#maxPages;
  }
}
