import { againstSource, type Cause } from '../fetch/triage.ts';
import type { Place } from '../store/tables/frontier.ts';
import type { Asked } from './ask.ts';
import { isOwnFailure } from './own-failures.ts';
import type { Visited } from './walk.ts';

/** What most of the pages that could not be read have in common. */
export interface CommonFailure {
  /** Their cause; the code of their failure where they have none. */
  readonly cause: string;
  readonly times: number;
  /** The first of them. */
  readonly url: string;
}

/** So many pages in a row that the site as a whole did not give may mean that it gives none any more. */
const mostInRow = 10;

/** A site that refuses so many pages in a row may refuse the others as well, and takes each that is asked as one reason more. */
const mostRefusedInRow = 5;

const refusals: ReadonlySet<string> = new Set<Cause>(['blocked', 'login_expired']);

/** A page that could not be read, and what it met. */
interface Failed {
  readonly place: Place;
  readonly visited: Visited;
}

/**
 * The pages of a crawl that one scrape could not read. Those that have failed in a row, for what may be the whole site, stay in the
 * frontier until it is known what is broken: they, when the site answers for another page, or the site.
 */
export class PageFailures {
  #row: readonly Failed[] = [];
  readonly #causes = new Map<string, CommonFailure>();

  /** Whether the row is so long that no other page is asked before it is known what is broken. */
  get areMany(): boolean {
    return this.#row.length >= mostInRow || this.areRefused;
  }

  /** Whether so many of them were refused, one after the other, that the others may be as well. */
  get areRefused(): boolean {
    const latest = this.#row.slice(-mostRefusedInRow);
    return latest.length === mostRefusedInRow && latest.every(isRefusal);
  }

  /** The page of the row that failed last; nothing when there is none. */
  get latest(): Place | undefined {
    return this.#row.at(-1)?.place;
  }

  /** Learns of a failure; whether its page is one of the row. */
  add(place: Place, visited: Visited): boolean {
    const cause = visited.asked.trouble?.cause;
    if (cause === undefined || !againstSource.has(cause)) return false;
    this.#row = [...this.#row, { place, visited }];
    return true;
  }

  /** The latest of those in the row that are as most of it are; nothing when there is none. */
  typical(): Visited | undefined {
    const alike = Map.groupBy(
      this.#row.map(({ visited }) => visited),
      downReason,
    );
    return [...alike.values()]
      .reduce<readonly Visited[]>((most, each) => (each.length > most.length ? each : most), [])
      .at(-1);
  }

  /** Ends the row as pages that are to be asked again. */
  takeBack(): readonly Place[] {
    const places = this.#row.map(({ place }) => place);
    this.#row = [];
    return places;
  }

  /** Ends the row as errors of the crawl. */
  settle(): readonly Place[] {
    for (const { visited } of this.#row) this.count(visited);
    return this.takeBack();
  }

  /** Counts a failure that is an error of its crawl. */
  count({ asked: { outcome, trouble }, url }: Visited): void {
    const cause = trouble?.cause ?? (outcome.kind === 'failed' ? outcome.failure.code : outcome.kind);
    const known = this.#causes.get(cause) ?? { cause, times: 0, url };
    this.#causes.set(cause, { ...known, times: known.times + 1 });
  }

  /** The cause that came most often; nothing where there was no error. */
  mostCommon(): CommonFailure | undefined {
    return [...this.#causes.values()].reduce<CommonFailure | undefined>(
      (most, each) => (most === undefined || each.times > most.times ? each : most),
      undefined,
    );
  }
}

/**
 * Whether the site answered, whatever it said of the page: that it does not work, or gives nothing to us, is no answer, and neither
 * is what we did or lack.
 */
export function isAnswer({ outcome, trouble, wasAsked }: Asked): boolean {
  return wasAsked && !isOwnFailure(outcome) && (trouble === undefined || !againstSource.has(trouble.cause));
}

/** Whether an answer says what is so: the page is not there. */
export function isAbsence({ trouble }: Asked): boolean {
  return trouble?.cause === 'not_found' || trouble?.cause === 'gone';
}

/** Whether robots.txt asks to leave the page alone. */
export function wasLeft({ outcome }: Asked): boolean {
  return outcome.kind === 'failed' && outcome.failure.code === 'robots_disallowed';
}

/** Why a scrape that the site gives no page any more is over, by what a page met. */
export function downReason({ asked: { trouble } }: Visited): string {
  return trouble !== undefined && refusals.has(trouble.cause) ? trouble.cause : 'unreachable';
}

function isRefusal({ visited }: Failed): boolean {
  return downReason(visited) !== 'unreachable';
}
