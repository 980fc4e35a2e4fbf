import { nanoid } from 'nanoid';
import { type CommitOptions, type Environment, type EnvironmentOptions, openEnvironment } from './environment.ts';
import type { Claimable } from './claim.ts';
import { type Migration, migrate, readableSchema } from './migration.ts';
import type { EventRow, ScheduleRow, TargetRow } from './rows.ts';
import { type CommitRow, commitTable } from './tables/commits.ts';
import { crawlTable } from './tables/crawls.ts';
import { definitionTable } from './tables/definitions.ts';
import { eventTable } from './tables/events.ts';
import { frontierTable } from './tables/frontier.ts';
import { historyTable } from './tables/history.ts';
import { hostTable } from './tables/hosts.ts';
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

/** Says when targets are due. Called within the transaction that changes what it depends on, so it reads nothing else. */
export interface Scheduling {
  /** For a target that begins, or begins again. */
  first(target: TargetRow, at: number, freeSlot: FreeSlot, originOf: OriginOf): ScheduleRow;
  /** After a scrape, or when the target's interval has changed; `row` is the one until now. */
  next(target: TargetRow, row: ScheduleRow, at: number, freeSlot: FreeSlot, originOf: OriginOf): ScheduleRow;
}

/** The lowest place of a grid that no target has. */
export type FreeSlot = (key: string, everyMs: number) => number;

/** Where a grid begins; `undefined` for one that has had no target yet. */
export type OriginOf = (key: string, everyMs: number) => number | undefined;

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
  options: Omit<StoreOptions, keyof EnvironmentOptions>,
): Promise<Store> {
  try {
    const tables = openTables(environment);
    const found = readableSchema(environment, tables, options.migrations);
    options.claim?.({ environment, meta: tables.meta });
    await migrate(environment, tables, found, options.migrations);
    return storeOver(environment, tables, options);
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
  };
}

function storeOver(
  environment: Environment,
  tables: Tables,
  { now, scheduling, newId = nanoid }: Pick<StoreOptions, 'now' | 'scheduling' | 'newId'>,
): Store {
  const listeners = new Set<(lastSerial: number) => void>();
  const { events, commits } = tables;

  return {
    ...tables,
    environment,
    scheduling,
    newId: () => newId(),
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
