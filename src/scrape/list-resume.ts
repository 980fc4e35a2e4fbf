import { hash } from 'node:crypto';
import type { RecordDraft } from '../extract/draft.ts';
import type { ListPlace } from '../provider/provider.ts';
import type { StepOps } from '../store/ops.ts';
import type { EmptyPage, ResumePoint } from '../store/tables/rows.ts';

/** The scrape that walks a list to its end, and where an earlier one was cut. */
export interface ListResumeOptions {
  /** The version of the definition. */
  readonly version: string;
  /** The number of the scrape that walks. */
  readonly scrape: number;
  /** The point at which an earlier scrape was cut. Default: the list is begun at its first page. */
  readonly from?: ResumePoint | undefined;
  /** Whether the scrape number `since` of the target, or a later one, has stored the record. */
  isMet(draft: RecordDraft, since: number): boolean;
}

type ResumeOps = Pick<StepOps, 'resume' | 'since' | 'draftsBefore'>;

/** After so many scrapes in a row that resumed at one page and came no further, the list is begun anew: the page may be what is wrong. */
const mostStuck = 3;

/** The largest size of a point to resume at, in characters of JSON. A longer one is not kept, so that some pages are read twice. */
const longestPoint = 4_000;

/** A page of a list that a walk has read. */
export interface ReadListPage {
  readonly place: ListPlace;
  readonly drafts: readonly RecordDraft[];
  /** Names of the drafts that stood on the page before as well. */
  readonly standing: readonly string[];
}

/**
 * Keeps the point at which a walk to the end of a list resumes after it was cut: the last page that was read. Items may have come and
 * gone meanwhile. Only where that page still begins with a record that the walk has stored do the pages behind it join on to what is
 * stored; otherwise the list is begun anew.
 */
export class ListResume {
  readonly #options: ListResumeOptions;
  #from: ResumePoint | undefined;
  /** The number of the scrape that began the walk. */
  #since: number;
  /** The drafts that the walk found so far. */
  #before: number;
  /** The point that this scrape has written last. */
  #written: ResumePoint | undefined;

  constructor(options: ListResumeOptions) {
    this.#options = options;
    this.#from = options.from;
    // A walk that stands at its first page is begun anew, and keeps only which page was empty.
    if (this.#from?.place.page === 1) this.#from = undefined;
    this.#since = this.#from?.since ?? options.scrape;
    this.#before = this.#from?.before ?? 0;
  }

  /** The page at which the walk resumes; `undefined` for a list that is begun. */
  get place(): ListPlace | undefined {
    return this.#from?.place;
  }

  /**
   * Whether the drafts of the page at which the walk resumes join on to what is stored: the first of them was stored by this walk. Drafts
   * that stand on every page are left out.
   */
  joins(drafts: readonly RecordDraft[]): boolean {
    const { standing = [] } = this.#from ?? {};
    const first = drafts.find((draft) => !standing.includes(draftName(draft)));
    return first !== undefined && this.#options.isMet(first, this.#since);
  }

  /** The number of the scrape that began the walk. */
  get since(): number {
    return this.#since;
  }

  /** Whether so many scrapes in a row found this page empty that there is nothing on it. */
  isEmpty(page: number): boolean {
    return isConfirmed(this.#options.from?.empty, page);
  }

  /** Begins the list at its first page after all; returns the operations for that. */
  begin(): ResumeOps {
    this.#from = undefined;
    this.#since = this.#options.scrape;
    this.#before = 0;
    return { resume: 'none' };
  }

  /** The operations for the step of a page that was read. */
  read({ place, drafts, standing }: ReadListPage): ResumeOps {
    const [order, before] = [this.#order, this.#before];
    this.#before += drafts.length;
    if (place.page === 1) return { resume: 'none', ...order };
    const isOwn = drafts.length > standing.length;
    if (!isOwn || place === this.#from?.place || isLong({ place, standing })) return order;
    this.#from = undefined;
    const { version, scrape: by } = this.#options;
    const kept = { place, ...(standing.length > 0 && { standing }) };
    this.#written = { version, ...kept, since: this.#since, by, before };
    return { resume: this.#written, ...order };
  }

  /** The operations for the step of the page that ends the walk. */
  end(): ResumeOps {
    return { ...this.#order, resume: 'none' };
  }

  /** The operations for the step of the page at which a limit ends the walk. */
  over({ url, page }: ListPlace): ResumeOps {
    const { version, scrape: by } = this.#options;
    const place = { url, page };
    return { resume: { version, place, since: this.#since, by, before: this.#before, isOver: true } };
  }

  /** The operations for the step of a page that could not be fetched for reasons that say nothing of the page. */
  stuck(): ResumeOps {
    const from = this.#from;
    if (from === undefined) return {};
    const stuck = (from.stuck ?? 0) + 1;
    return { resume: stuck < mostStuck ? { ...from, by: this.#options.scrape, stuck } : 'none' };
  }

  /** The operations for an empty page that should have items: the next scrape resumes before it. `first` is the list's first page. */
  broken(page: number, first: ListPlace): ResumeOps {
    const { version, scrape: by, from } = this.#options;
    const begun = { version, place: first, since: by, by, before: 0 };
    const point = this.#written ?? this.#from ?? begun;
    return { resume: { ...point, by, empty: foundEmpty(from?.empty, page) } };
  }

  /** The order of the next drafts in the walk, behind those of earlier scrapes. */
  get #order(): Omit<ResumeOps, 'resume'> {
    return this.#since === this.#options.scrape ? {} : { since: this.#since, draftsBefore: this.#before };
  }
}

/** Whether a page was found empty in the scrapes before, so often that the next time counts. */
export function isConfirmed(empty: EmptyPage | undefined, page: number): boolean {
  return empty?.page === page && empty.scrapes >= mostStuck;
}

/** Counts one more scrape that found a page empty. */
export function foundEmpty(empty: EmptyPage | undefined, page: number): EmptyPage {
  return { page, scrapes: (empty?.page === page ? empty.scrapes : 0) + 1 };
}

function isLong(kept: Pick<ReadListPage, 'place' | 'standing'>): boolean {
  return JSON.stringify(kept).length > longestPoint;
}

/** A short name of a draft by its type and key, of a fixed length. */
export function draftName({ type, key }: RecordDraft): string {
  return hash('sha256', JSON.stringify([type, key]), 'base64').slice(0, 16);
}
