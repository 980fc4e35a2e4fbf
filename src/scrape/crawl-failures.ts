import { isOwnFailure } from '../request/failure.ts';
import { againstSource, type Cause } from '../fetch/triage.ts';
import type { RequestResult } from '../request/intent.ts';
import type { FrontierPlace } from '../store/tables/frontier.ts';
import type { Visited } from './walk.ts';

/** The most frequent cause among the pages of a crawl that could not be read. */
export interface CommonFailure {
  /** The cause that triage found, or else the code of the failure. */
  readonly cause: string;
  readonly times: number;
  /** The first page with this cause. */
  readonly url: string;
}

/** The number of suspended pages after which no further page is requested before a probe. */
const mostInRow = 10;

/** The number of refusals in a row after which no further page is requested before a probe. It is smaller, since each request to a site that
 * refuses may prolong the refusal. */
const mostRefusedInRow = 5;

const refusals: ReadonlySet<string> = new Set<Cause>(['blocked', 'login_expired']);

/** A page that could not be read, and how its visit went. */
interface FailedPage {
  readonly place: FrontierPlace;
  readonly visited: Visited;
}

/**
 * The pages that could not be read in one scrape of a crawl. A page whose failure may be the whole site's is *suspended*: it stays in
 * the frontier until an answer of the site for another page shows that the page is broken (`settle`), or the site is taken for down
 * (`takeBack`). Every other failure is counted at once.
 */
export class CrawlFailures {
  #suspended: readonly FailedPage[] = [];
  readonly #causes = new Map<string, CommonFailure>();

  /** The pages that are suspended, in the order in which they failed. */
  get suspended(): readonly FrontierPlace[] {
    return this.#suspended.map(({ place }) => place);
  }

  /** Whether so many pages are suspended that no other page is asked for before it is known what is broken. */
  get areMany(): boolean {
    return this.#suspended.length >= mostInRow || this.areRefused;
  }

  /** Whether the latest pages were all refused, so that the others may be refused as well. */
  get areRefused(): boolean {
    const latest = this.#suspended.slice(-mostRefusedInRow);
    return latest.length === mostRefusedInRow && latest.every(({ visited }) => downReason(visited) !== 'unreachable');
  }

  /** Suspends a page where its failure may be the whole site's. Returns whether it did. */
  suspend(place: FrontierPlace, visited: Visited): boolean {
    const cause = visited.result.trouble?.cause;
    if (cause === undefined || !againstSource.has(cause)) return false;
    this.#suspended = [...this.#suspended, { place, visited }];
    return true;
  }

  /** The latest suspended page that failed for the most frequent reason; `undefined` when none is suspended. */
  typical(): Visited | undefined {
    const alike = Map.groupBy(
      this.#suspended.map(({ visited }) => visited),
      downReason,
    );
    return [...alike.values()]
      .reduce<readonly Visited[]>((most, each) => (each.length > most.length ? each : most), [])
      .at(-1);
  }

  /** Returns the suspended pages, to be asked for again by a later scrape, and suspends none any more. */
  takeBack(): readonly FrontierPlace[] {
    const places = this.suspended;
    this.#suspended = [];
    return places;
  }

  /** Counts the suspended pages as errors of the crawl and returns them; none is suspended any more. */
  settle(): readonly FrontierPlace[] {
    for (const { visited } of this.#suspended) this.count(visited);
    return this.takeBack();
  }

  /** Counts a page as an error of the crawl. */
  count({ result: { outcome, trouble }, url }: Visited): void {
    const met = trouble?.cause ?? 'unexpected';
    const code = outcome.kind === 'failed' ? outcome.failure.code : outcome.kind;
    const cause = met === 'unexpected' ? code : met;
    const known = this.#causes.get(cause) ?? { cause, times: 0, url };
    this.#causes.set(cause, { ...known, times: known.times + 1 });
  }

  /** The most frequent cause of the errors that were counted; `undefined` without an error. */
  mostCommon(): CommonFailure | undefined {
    return [...this.#causes.values()].reduce<CommonFailure | undefined>(
      (most, each) => (most === undefined || each.times > most.times ? each : most),
      undefined,
    );
  }
}

/**
 * Whether the site answered, whatever it said of the page. A site that is down or refuses us gave no answer, and neither did one that
 * was not asked for a reason of ours.
 */
export function isAnswer({ outcome, trouble, wasAsked }: RequestResult): boolean {
  return wasAsked && !isOwnFailure(outcome) && (trouble === undefined || !againstSource.has(trouble.cause));
}

/** Whether the site said that the page does not exist. */
export function isAbsence({ trouble }: RequestResult): boolean {
  return trouble?.cause === 'not_found' || trouble?.cause === 'gone';
}

/** Whether robots.txt asks to leave the page alone. */
export function isForbidden({ outcome }: RequestResult): boolean {
  return outcome.kind === 'failed' && outcome.failure.code === 'robots_disallowed';
}

/** Why a site is taken for down, by what one of its pages met: it refuses us, or it is out of reach. */
export function downReason({ result: { trouble } }: Visited): string {
  return trouble !== undefined && refusals.has(trouble.cause) ? trouble.cause : 'unreachable';
}
