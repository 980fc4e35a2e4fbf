import { hash } from 'node:crypto';
import type { RecordDraft } from '../extract/draft.ts';
import type { ListPlace } from '../provider/provider.ts';
import type { StepOps } from '../store/ops.ts';
import type { Reach } from '../store/reach.ts';

export interface ReachOptions {
  /** Of the definition. */
  readonly version: string;
  /** The scrape that walks. */
  readonly scrape: number;
  /** Where the one that was cut stood; without it the list is begun. */
  readonly from?: Reach | undefined;
  /** Whether a scrape of the target from that one on has stored it. */
  isMet(draft: RecordDraft, since: number): boolean;
}

type ReachOps = Pick<StepOps, 'reach' | 'since' | 'draftsBefore'>;

/** Scrapes that begin at one place and come no further, at most: then the list is begun anew, as the place may be what is wrong. */
const mostStuck = 3;

/** A cursor that is longer is not kept, nor what stands on every page; what is read twice for that is known by its keys. */
const longestPlace = 4_000;

/** A page of a list, as its walk has read it. */
export interface ReadPage {
  readonly place: ListPlace;
  readonly drafts: readonly RecordDraft[];
  /** Names of those that stood on the page before as well. */
  readonly standing: readonly string[];
}

/**
 * Keeps how far a walk to the end of a list has come, so that one which is cut goes on there. It goes on with the last page that
 * was read: only where that still begins with something that was met does the rest of the list join on to what is stored.
 */
export class ReachKeeper {
  readonly #options: ReachOptions;
  #from: Reach | undefined;
  /** The scrape that began the walk, and the drafts that it found so far. */
  #since: number;
  #before: number;

  constructor(options: ReachOptions) {
    this.#options = options;
    this.#from = options.from;
    this.#since = options.from?.since ?? options.scrape;
    this.#before = options.from?.before ?? 0;
  }

  /** Where to go on; nothing for a list that is begun. */
  get place(): ListPlace | undefined {
    return this.#from?.place;
  }

  /**
   * Whether what a page holds, that was gone on with, joins on to what is stored. What stands on every page says nothing of that; and
   * one that begins with something new is the head, or as good as it.
   */
  joins(drafts: readonly RecordDraft[]): boolean {
    const { standing = [] } = this.#from ?? {};
    const first = drafts.find((draft) => !standing.includes(draftName(draft)));
    return first !== undefined && this.#options.isMet(first, this.#since);
  }

  /** The list is begun after all. */
  begin(): ReachOps {
    this.#from = undefined;
    this.#since = this.#options.scrape;
    this.#before = 0;
    return { reach: 'none' };
  }

  /** What is written with a page that was read. */
  read({ place, drafts, standing }: ReadPage): ReachOps {
    const [order, before] = [this.#order, this.#before];
    this.#before += drafts.length;
    if (place.page === 1) return { reach: 'none', ...order };
    const isOwn = drafts.length > standing.length;
    if (!isOwn || place === this.#from?.place || isLong({ place, standing })) return order;
    this.#from = undefined;
    const { version, scrape: by } = this.#options;
    const kept = { place, ...(standing.length > 0 && { standing }) };
    return { reach: { version, ...kept, since: this.#since, by, before }, ...order };
  }

  /** What is written with the page that ends the walk. */
  end(): ReachOps {
    return { ...this.#order, reach: 'none' };
  }

  /** What is written with the page that a limit has end the walk. */
  over({ url, page }: ListPlace): ReachOps {
    const { version, scrape: by } = this.#options;
    const reach = {
      version,
      place: { url, page },
      since: this.#since,
      by,
      before: this.#before,
      isOver: true,
    } as const;
    return { reach };
  }

  /** What is written with a page that could not be had, where that says nothing of the page. */
  stuck(): ReachOps {
    const from = this.#from;
    if (from === undefined) return {};
    const stuck = (from.stuck ?? 0) + 1;
    return { reach: stuck < mostStuck ? { ...from, by: this.#options.scrape, stuck } : 'none' };
  }

  /** Where drafts stand that come next, behind those of other scrapes. */
  get #order(): Omit<ReachOps, 'reach'> {
    return this.#since === this.#options.scrape ? {} : { since: this.#since, draftsBefore: this.#before };
  }
}

function isLong(kept: Pick<ReadPage, 'place' | 'standing'>): boolean {
  return JSON.stringify(kept).length > longestPlace;
}

/** What tells a draft from others, however long its key is. */
export function draftName({ type, key }: RecordDraft): string {
  return hash('sha256', JSON.stringify([type, key]), 'base64').slice(0, 16);
}
