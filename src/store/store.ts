import type { Demand } from '../schedule/objective.ts';
import { nanoid } from 'nanoid';
import { type CommitOptions, type Environment, type EnvironmentOptions, openEnvironment } from './environment.ts';
import type { Claimable } from './claim.ts';
import { type Migration, migrate, readableSchema } from './migration.ts';
import type { EventRow, ProjectRow, ScrapeRow, TargetRow } from './rows.ts';
import type { ScheduleRow } from './schedule-row.ts';
import type { EpisodeEvent } from '../schedule/episode.ts';
import { type CommitRow, commitTable } from './tables/commits.ts';
import { crawlTable } from './tables/crawls.ts';
import { definitionTable } from './tables/definitions.ts';
import { eventTable } from './tables/events.ts';
import { frontierTable } from './tables/frontier.ts';
import { historyTable } from './tables/history.ts';
import { hostTable } from './tables/hosts.ts';
import { infeasibleTable } from './tables/infeasible.ts';
import { metaTable } from './tables/meta.ts';
import { projectTable } from './tables/projects.ts';
import { recordTable } from './tables/records.ts';
import { scheduleTable } from './tables/schedule.ts';
import { scrapeTable } from './tables/scrapes.ts';
import { circuitTable } from './tables/circuits.ts';
import { robotsTable } from './tables/robots.ts';
import { sessionTable } from './tables/sessions.ts';
import { settingTable } from './tables/settings.ts';
import { stepTable } from './tables/steps.ts';
import { targetTable } from './tables/targets.ts';
import { wasteTable } from './tables/waste.ts';

/** Says when targets are due. Called within the transaction that changes what it depends on, so it reads nothing else. */
export interface Scheduling {
  /** For a target that begins, or begins again, of which `row` has what is remembered. */
  first(target: TargetRow, about: Scheduled, row?: ScheduleRow): ScheduleRow;
  /** After a scrape, whose row and observation `turn` has, or when what decides has changed; `row` is the one until now. */
  next(target: TargetRow, row: ScheduleRow, about: Scheduled, turn?: Turn): ScheduleRow;
  /** The row after something was seen, or as time alone has it, with what is to be told of that. */
  verified(target: TargetRow, row: ScheduleRow, about: Scheduled, seen?: Sighted): Freshened;
}

/** What a target's schedule depends on besides itself. */
export interface Scheduled {
  /** The present. */
  readonly at: number;
  readonly project: ProjectRow | undefined;
  readonly places: Places;
  /** When a field was last verified, as far as the first of the target's records tell; nothing where none of these has it. */
  readonly seenAt: (field: string) => number | undefined;
}

/** Who else is in a grid, or has an objective. */
export interface Places {
  /** The lowest place of a grid that no target has. */
  readonly freeSlot: (key: string, everyMs: number) => number;
  /** Where a grid begins; `undefined` for one that has had no target yet. */
  readonly originOf: (key: string, everyMs: number) => number | undefined;
  /** What is promised on a politeness key up to an age, the shortest first. */
  readonly promisesOn: (key: string, longestMs: number) => readonly Demand[];
}

/** A scrape that has just ended. */
export type Turn = Pick<ScrapeRow, 'reason' | 'startedAt' | 'status' | 'failure' | 'endReason'>;

/** What was seen to be so at an instant. */
export interface Sighted {
  readonly at: number;
  readonly fields: ReadonlySet<string>;
  /** Whether that was the target as a whole. */
  readonly whole?: boolean;
}

export interface Freshened {
  readonly row: ScheduleRow;
  readonly told: readonly FreshnessEvent[];
}

/** What is to be told of an objective; without a field, of the whole target. */
export interface FreshnessEvent extends EpisodeEvent {
  readonly field?: string;
}

export interface StoreOptions extends EnvironmentOptions {
  /** Wall time. */
  readonly now: () => number;
  readonly scheduling: Scheduling;
  /** Makes public ids; default nanoid. */
  readonly newId?: () => string;
  /** How to come from each schema to the next; default those of this program. */
  readonly migrations?: readonly Migration[];
  /** Claims a store that this program can read before anything in it is changed; throws when another daemon has it. */
  readonly claim?: (store: Claimable) => void;
}

/** One transaction's view of what it does. */
export interface Change {
  /** Wall time of the whole change. */
  readonly at: number;
  /** Adds an event; those who listen learn of it when the change is committed. */
  tell(event: Omit<EventRow, 'serial' | 'at'>): void;
  /** Adds the change to the commit log, last of all; returns the serial of the newest event. */
  log(row: Omit<CommitRow, 'serial' | 'at' | 'lastEvent'>): number;
}

export type Tables = ReturnType<typeof openTables>;

/** The open store: its tables to read, and one way to write. */
export interface Store extends Tables {
  readonly environment: Environment;
  readonly scheduling: Scheduling;
  newId(): string;
  /** Runs a change as one transaction, as `Environment.commit` does, and then tells those who listen. */
  write<T>(run: (change: Change) => T, options?: CommitOptions): Promise<T>;
  /** Events after a serial, the oldest first. */
  readEvents(after: number, limit: number): EventRow[];
  /** Calls `listener`, which does not throw, with the newest serial after each commit that told something; returns how to stop that. */
  onEvents(listener: (lastSerial: number) => void): () => void;
  close(): Promise<void>;
}

/** Opens the store in a folder, made when missing, and brings it to this program's schema. Throws `SchemaError` when it cannot be. */
export function openStore(options: StoreOptions): Promise<Store> {
  return storeIn(openEnvironment(options), options);
}

/** The store in an environment that is open, which is closed with it, and also when this throws. */
export async function storeIn(
  environment: Environment,
  { newId = nanoid, ...options }: Omit<StoreOptions, keyof EnvironmentOptions>,
): Promise<Store> {
  try {
    const tables = openTables(environment);
    const found = readableSchema(environment, tables, options.migrations);
    options.claim?.({ environment, meta: tables.meta });
    await migrate(environment, tables, found, { ...options, newId });
    return storeOver(environment, tables, { ...options, newId });
  } catch (error) {
    await environment.close();
    throw error;
  }
}

function openTables(environment: Environment) {
  return {
    meta: metaTable(environment),
    settings: settingTable(environment),
    projects: projectTable(environment),
    targets: targetTable(environment),
    schedule: scheduleTable(environment),
    infeasible: infeasibleTable(environment),
    records: recordTable(environment),
    history: historyTable(environment),
    scrapes: scrapeTable(environment),
    steps: stepTable(environment),
    events: eventTable(environment),
    hosts: hostTable<unknown>(environment),
    sessions: sessionTable(environment),
    robots: robotsTable(environment),
    circuits: circuitTable(environment),
    definitions: definitionTable(environment),
    commits: commitTable(environment),
    crawls: crawlTable(environment),
    frontier: frontierTable(environment),
    waste: wasteTable(environment),
  };
}

function storeOver(
  environment: Environment,
  tables: Tables,
  { now, scheduling, newId }: Pick<Store, 'newId'> & Pick<StoreOptions, 'now' | 'scheduling'>,
): Store {
  const listeners = new Set<(lastSerial: number) => void>();
  const { events, commits } = tables;

  return {
    ...tables,
    environment,
    scheduling,
    newId,
    write,
    readEvents: (after, limit) => [...events.rows({ after, limit })],
    onEvents(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => environment.close(),
  };

  async function write<T>(run: (change: Change) => T, options?: CommitOptions): Promise<T> {
    let told: number | undefined;
    const change = (at: number): Change => ({
      at,
      tell(event) {
        told = events.add((serial) => ({ serial, at, ...event })).serial;
      },
      log(row) {
        const lastEvent = told ?? events.last();
        commits.add((serial) => ({ serial, at, ...row, lastEvent }));
        return lastEvent;
      },
    });
    const result = await environment.commit(() => {
      told = undefined;
      return run(change(now()));
    }, options);
    if (told !== undefined) for (const listener of listeners) listener(told);
    return result;
  }
}
