import { againstSource, type Cause } from '../fetch/triage.ts';
import type { Place } from '../store/tables/frontier.ts';
import type { Visited } from './walk.ts';

/** What most of the pages that could not be read have in common. */
export interface CommonFailure {
  /** Their cause; the code of their failure where they have none. */
  readonly cause: string;
  readonly times: number;
  /** The first of them. */
  readonly url: string;
}

/** So many pages in a row that the site as a whole did not give end the scrape; the next one goes on from there, with them among the others. */
const mostInRow = 10;

/** A site that refuses so many pages in a row refuses the others as well, and takes each that is asked as one reason more. */
const mostRefusedInRow = 5;

/** A page that fails with so many others for the fourth time is what is broken, not the site. */
const timesBack = 3;

const refusals: ReadonlySet<string> = new Set<Cause>(['blocked', 'login_expired']);

/** The pages of a crawl that one scrape could not read. */
export class PageFailures {
  /** Those of the last failures in a row that are on the site. */
  #inRow: Place[] = [];
  /** How many of the last of them are refusals. */
  #refused = 0;
  #isDown = false;
  readonly #causes = new Map<string, CommonFailure>();

  /** Whether the site gives no page any more. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /** A page was read. */
  passed(): void {
    this.#inRow = [];
    this.#refused = 0;
  }

  /** Learns of a failure; gives the places that go back, once the site is down. */
  add(place: Place, { asked: { trouble } }: Visited): Place[] {
    const cause = trouble?.cause;
    if (cause === undefined || !againstSource.has(cause)) this.passed();
    else this.#inRow.push(place);
    this.#refused = cause !== undefined && refusals.has(cause) ? this.#refused + 1 : 0;
    this.#isDown ||= this.#inRow.length >= mostInRow || this.#refused >= mostRefusedInRow;
    return this.#isDown ? this.#inRow.splice(0).filter(({ again = 0 }) => again < timesBack) : [];
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

/** Why a scrape that the site gives no page any more is over: by what the last page met. */
export function downReason({ asked: { trouble } }: Visited): string {
  return trouble !== undefined && refusals.has(trouble.cause) ? trouble.cause : 'unreachable';
}
