import type { RecordDraft } from '../extract/draft.ts';
import type { ListPlace } from '../provider/provider.ts';
import type { StepOps } from '../store/ops.ts';
import type { ListGap } from '../store/tables/rows.ts';
import { foundEmpty, isConfirmed } from './list-resume.ts';

/** What a walk over a list needs to close the gaps that earlier scrapes left. */
export interface ListGapsOptions {
  /** The version of the definition. */
  readonly version: string;
  /** The gaps, the newest first. */
  readonly gaps: readonly ListGap[];
  /** The number of the last scrape that completed. What it and earlier ones stored lies below a gap that this scrape leaves. */
  readonly settled: number;
  /** The number of the scrape. */
  readonly scrape: number;
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
  #begun: ListPlace | undefined;

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

  /** The page at which the closing of the newest gap began. */
  get begun(): ListPlace | undefined {
    return this.#begun;
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
    this.#begun = gap.version === this.#options.version ? gap.place : this.#first;
    return this.#begun;
  }

  /**
   * Notes a page that was read in the newest gap. `closed`: it ends with an item from below. `moved`: the gap began at this page, but the
   * list has moved since, so that items between may have been passed. `spent`: the scrape has read enough.
   */
  read(
    at: ListPlace,
    own: readonly RecordDraft[],
    drafts: readonly RecordDraft[] = own,
  ): 'closed' | 'moved' | 'spent' | 'go on' {
    const [newest, ...older] = this.#gaps;
    const { isStored, version } = this.#options;
    if (newest === undefined) return 'closed';
    const { order } = newest;
    const gap = { ...newest, ...(order && { order: { ...order, before: order.before + drafts.length } }) };
    this.#pages += 1;
    const [head, last] = [own[0], own.at(-1)];
    const isBegin = at === gap.place && at.page > 1;
    if (isBegin && head !== undefined && !(isStored(head, Infinity) && own.some(isAbove))) {
      this.#gaps = [{ ...gap, version, place: this.#first }, ...older];
      return this.#isSpent ? 'spent' : 'moved';
    }
    if (last !== undefined && isStored(last, gap.known)) {
      this.#gaps = older;
      return 'closed';
    }
    const { empty: _, ...rest } = gap;
    this.#gaps = [{ ...(isBegin ? gap : rest), version, place: at }, ...older];
    return this.#isSpent ? 'spent' : 'go on';

    /** Whether an item was stored by the scrapes that read the list above the gap. */
    function isAbove(draft: RecordDraft): boolean {
      return isStored(draft, Infinity) && !isStored(draft, gap.known);
    }
  }

  /** Notes that a page in the gap could not be had. Where its address may be wrong, the gap is looked for from the first page on. */
  failed(mayPass: boolean): void {
    const [gap, ...older] = this.#gaps;
    if (gap !== undefined && !mayPass)
      this.#gaps = [{ ...gap, version: this.#options.version, place: this.#first }, ...older];
  }

  /** Whether so many scrapes in a row found this page empty that there is nothing on it. */
  isEmpty(page: number): boolean {
    return isConfirmed(this.#gaps[0]?.empty, page);
  }

  /** The place in the order of records of what the next page in the newest gap shows; `undefined` while none is being closed. */
  get order(): Pick<StepOps, 'since' | 'draftsBefore'> | undefined {
    const order = this.isClosing ? this.#gaps[0]?.order : undefined;
    return order && { since: order.scrape, draftsBefore: order.before };
  }

  /** Notes an empty page that should have items, behind `at`: in the newest gap where the page is within it, else as a new gap. */
  broken(page: number, at: ListPlace, drafts: number): void {
    if (!this.isClosing && this.#gaps[0]?.empty?.page !== page) this.leave(at, drafts);
    const [gap, ...older] = this.#gaps;
    if (gap !== undefined) this.#gaps = [{ ...gap, empty: foundEmpty(gap.empty, page) }, ...older];
  }

  /** Leaves a gap behind a page, where the limit of pages cuts the walk. `drafts` is the number of drafts that the walk has found. */
  leave(at: ListPlace, drafts: number): void {
    const { version, settled, now, scrape } = this.#options;
    const order = { scrape, before: drafts };
    const gaps = [{ version, place: at, known: settled, since: now(), order }, ...this.#gaps];
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
