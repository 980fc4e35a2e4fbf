import type * as z from 'zod';
import type { Issue } from '../../schema/expected.ts';
import type { GridPlaces } from '../time/grid.ts';
import type { OpenHours, Span } from '../time/open-hours.ts';

/** A clock that is set back by less repeats no turn of the calendar; one that is set back by more begins anew, as other crons have it. */
export const setBackMs = 10_800_000;

/**
 * The contract of one pace: what a target's schedule may say of it, its stored row, and all that is done with that row. `all.ts` lists the
 * paces.
 *
 * Every method is pure. `given` is the pace as the target's files give it now; it is missing while the source is not loaded, and the defaults
 * hold then. Instants are wall time in milliseconds.
 */
export interface Pace<Given, Row, View> {
  /** The key that chooses this pace in a definition, a target or a project. */
  readonly key: string;
  /** Keys of `fileShape`, and of mappings below them, whose values are milliseconds in the program and durations in a file. */
  readonly durations: readonly string[];
  /** The pace's keys in a file, with durations as texts. All keys are optional. */
  readonly fileShape: z.core.$ZodLooseShape;
  /** The pace's keys in a control method, with durations in ms. All keys are optional. */
  readonly inputShape: z.core.$ZodLooseShape;
  /** Converts a control method's input to the form of a file. */
  fromInput(input: object): object;
  /** The pace that one level gives, or `undefined` where the level gives another one or none. */
  given(level: object): Given | undefined;
  /** Yields conflicts between the keys of one level, except two paces at once. */
  issues?(level: Readonly<Record<string, unknown>>): Iterable<Issue>;

  /** About how often it asks for a turn in a day; of several paces of one target, the one that asks most often counts. */
  turnsADay(given: Given): number;

  /** The row of a target that begins. */
  begin(given: Given, beginning: Beginning): Row;
  /** The row of a target that begins again, from `begun` and from the row that it had when it was set aside. Default: `begun`. */
  beginAgain?(begun: Row, before: Row, at: { readonly since: number; readonly given: Given }): Row;
  /** Whether the row is still what the files give. If not, `begin` makes a new row. */
  isSame(row: Row, given: Given, key: string): boolean;
  /** The row after a scrape ended. Default: the same row. */
  afterScrape?(row: Row, ended: PaceScrape<Given>): Row;
  /** The row with no instant later than it can be: the clock may have been set back. Default: the same row. */
  notAfter?(row: Row, at: number, given: Given | undefined): Row;
  /** The next turn that the pace asks for, or the day that will pay for one; `undefined` when it asks for none. */
  next(row: Row, now: PaceNow<Given>): PaceTurn | undefined;
  /** The interval between two turns, if there is a fixed one: turns missed while the daemon was down are spread over no more. */
  everyMs?(row: Row): number;
  /** How far `since` may lie after the present, in milliseconds, before the clock counts as set back. Default: 0. */
  readonly setBackMs?: number;
  /** The pause from the end of a scrape to the next turn, in ms, where the next turn counts from there, however often the scrape was repeated. */
  pauseMs?(given: Given | undefined): number;
  /** Whether the row is kept while the target rests, because it holds what the target has earned. */
  readonly isKeptAtRest?: true;

  /** The first turn of the row's own grid that is not before an instant: other turns of the pace are as far from those of another row as this one. */
  gridFrom?(row: Row, at: number): number;
  /** Whether the turns follow at one distance while nothing holds them back or draws them forward. */
  readonly isRegular?: true;
  /** All turns that the pace asks for in a span, in order, where no scrape changes them; in steps of a few milliseconds. */
  instants?(row: Row, span: Span): Generator<undefined, ArrayLike<number>>;
  /** Plans the turns of targets of one schedule in a span, where a host's turns are planned for all its targets together. */
  planner?(given: Given, within: PlannedSpan): Planner<Row>;

  /** The schema of `view`; its `kind` is the pace's name. */
  readonly view: z.ZodType<View>;
  /** The pace with its state, for the control plane. */
  show(row: Row, facts: PaceFacts<Given>): View;
  /** A sentence on the pace and its state, for `why`. */
  sentence(view: View, now: number): string;
  /** Why the pace asks for a turn, as part of a sentence. */
  reason(row: Row, given: Given | undefined): string;
}

/** The facts from which `begin` makes a new row, besides the pace. */
export interface Beginning {
  /** The politeness key. */
  readonly key: string;
  readonly at: number;
  /** The target's first scrape, if that is to come. */
  readonly firstAt: number | undefined;
  readonly places: GridPlaces;
  /** In `[0, 1)`. */
  random(): number;
}

/** A scrape that has just ended, as far as it decides when its target is next due. */
export interface EndedScrape {
  readonly reason: 'due' | 'manual';
  readonly startedAt: number;
  readonly status: 'running' | 'waiting' | 'complete' | 'failed' | 'aborted' | 'cancelled';
  readonly failure?: { readonly code: string };
  /** `unavailable`: the source's hours ended it, and it goes on when they begin again. */
  readonly endReason?: string;
}

/** A scrape that has ended, as a pace looks at it. */
export interface PaceScrape<Given> extends EndedScrape {
  readonly given: Given | undefined;
  /** The present. */
  readonly at: number;
  /** The row's `since` before the scrape: turns up to this instant are over. */
  readonly since: number;
  /** Turns up to this instant are over after the scrape. */
  readonly overAt: number;
  /** Whether the target had its first scrape to come. */
  readonly isFirst: boolean;
  /** Whether this was the first scrape. */
  readonly isFirstOver: boolean;
  /** In `[0, 1)`. */
  random(): number;
}

/** The facts that decide the next turn, besides the row. */
export interface PaceNow<Given> {
  readonly at: number;
  /** Turns up to this instant are over. */
  readonly since: number;
  readonly given: Given | undefined;
  /** Scrapes a day that the target deserves. */
  readonly priority: number;
}

/** Plans turns ahead. */
export interface Planner<Row> {
  /** All turns of the targets of one host, in order, by the targets' places in the list; in steps of a few milliseconds. */
  turnsOf(targets: readonly PlannedRow<Row>[]): Generator<undefined, readonly ArrayLike<number>[]>;
}

/** A target whose turns are planned ahead. */
export interface PlannedRow<Row> {
  readonly row: Row;
  /** Turns up to this instant are over. */
  readonly since: number;
  /** Scrapes a day that the target deserves. */
  readonly priority: number;
  /** When the first scrape is due; missing where it is over. */
  readonly firstAt?: number | undefined;
}

/** The span in which turns are planned ahead. */
export interface PlannedSpan extends Span {
  readonly hours: readonly OpenHours[];
}

/** The facts that a view shows, besides the row. */
export interface PaceFacts<Given> extends PaceNow<Given> {
  /** The number of new records of each scrape that counts for the priority, newest first. */
  readonly found: readonly number[];
}

/** An instant at which a pace asks for a turn, or from which on it may ask for one. */
export interface PaceTurn {
  readonly at: number;
  readonly effect: 'asks' | 'awaits';
}
