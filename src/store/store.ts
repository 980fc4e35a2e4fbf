import type { Circuit } from '../fetch/ledger/circuit.ts';
import type { LedgerRow } from '../fetch/ledger/ledger-row.ts';
import type { RobotsEntry } from '../fetch/robots/verdict.ts';
import type { Event, NewEvent } from '../event/catalogue.ts';
import type { Scheduling } from '../schedule/scheduling.ts';
import type { HistoryView } from '../view/record.ts';
import type { ScrapeView } from '../view/scrape.ts';
import { nanoid } from 'nanoid';
import {
  type CommitOptions,
  type Environment,
  type EnvironmentOptions,
  openEnvironment,
  StoreFullError,
} from './lmdb/environment.ts';
import type { Claimable } from './claim.ts';
import { type Migration, migrate, readableSchema } from './migration.ts';
import { auditTable } from './tables/audit.ts';
import { countedTables } from './tables/counts.ts';
import { copyTable } from './tables/copies.ts';
import { crawlTable } from './tables/crawls.ts';
import { definitionTable } from './tables/definitions.ts';
import { eventTable } from './tables/events.ts';
import { fileTable } from './tables/files.ts';
import { frontierTable } from './tables/frontier.ts';
import { historyTable } from './tables/history.ts';
import { holdTable } from './tables/holds.ts';
import { infeasibleTable } from './tables/infeasible.ts';
import { metricTable, metRuleTable } from './tables/metrics.ts';
import { metaTable } from './tables/meta.ts';
import { projectTable } from './tables/projects.ts';
import { recordTable } from './tables/records.ts';
import { ageTable } from './tables/ages.ts';
import { itemPageTable } from './tables/item-pages.ts';
import { pageTable } from './tables/pages.ts';
import { pipelineTables } from './tables/pipelines.ts';
import { runTables } from './tables/runs.ts';
import { scheduleTable } from './tables/schedule.ts';
import { namingSources, sourceNames } from './tables/source-names.ts';
import type { SourceRename } from './rename-source.ts';
import { scrapeTable } from './tables/scrapes.ts';
import { type CursorRow, sinkTables } from './tables/sinks.ts';
import { stepIndexTable } from './tables/step-index.ts';
import { stepTable } from './tables/steps.ts';
import { targetTable } from './tables/targets.ts';
import { ticketTable } from './tables/tickets.ts';
import { typeTable } from './tables/types.ts';
import type { PauseView } from '../view/pause.ts';
import type { TokenRow } from './tokens.ts';
import type { LogInRow } from './log-ins.ts';
import { table } from './lmdb/table.ts';
import { reextractionTable } from './tables/reextractions.ts';
import { viewerTable } from './tables/viewers.ts';
import { vaultTable } from './tables/vault.ts';
import { wasteTable } from './tables/waste.ts';

/** Where a store is, and what it needs besides. */
export interface StoreOptions extends EnvironmentOptions {
  /** Wall time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly scheduling: Scheduling;
  /** Makes public ids. Default: nanoid. */
  readonly newId?: () => string;
  /** Migrations from the oldest schema on. Default: those of this program. */
  readonly migrations?: readonly Migration[];
  /** Called before anything in a readable store is changed; throws when another daemon has claimed it. */
  readonly claim?: (store: Claimable) => void;
}

/** The means of a running change, besides writing rows. */
export interface Change {
  /** Wall time of the change. */
  readonly at: number;
  /**
   * Adds an event; followers get it when the change is committed.
   *
   * @param at - wall time of what it tells. Default: that of the change.
   */
  tell(event: NewEvent, at?: number): void;
  /** Adds a change of a record to its history, and an event that tells the projects of it. */
  tellChange(change: Omit<HistoryView, 'serial'>, projects: readonly string[]): void;
  /** Adds the event of the begin or the end of a scrape, whose row is written by this change as well. Returns its id. */
  tellScrape(what: 'started' | 'ended', scrape: ScrapeView, projects: readonly string[]): number;
  /** The id of the newest event, those of the change among them; 0 before the first event. */
  lastEvent(): number;
}

type EventListener = (lastSerial: number, told: readonly Event[]) => void;

/** The tables of a store. */
export type Tables = ReturnType<typeof openTables>;

/** The open store: its tables to read, and one way to write. */
export interface Store extends Tables {
  readonly environment: Environment;
  readonly scheduling: Scheduling;
  newId(): string;
  /** The generation of the ids of events: made with the store, and another one once a backup of it is restored. */
  generation(): string;
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /**
   * Runs a change as one transaction, as `Environment.commit` does, then wakes the followers of the event log. Rejects
   * with what `run` throws, and with `StoreFullError`.
   */
  write<T>(run: (change: Change) => T, options?: CommitOptions): Promise<T>;
  /**
   * Calls `listener` after each commit that told events, with the newest id and these events; it must not throw. Returns how to
   * stop. To read the log, use `follow`.
   */
  onEvents(listener: EventListener): () => void;
  close(): Promise<void>;
  /** Whether `close` was called; nothing can be read then. */
  isClosed(): boolean;
}

/**
 * Opens the store in a folder, which is made when missing, and migrates it. Rejects with `SchemaError` when this
 * program cannot read it, with what `claim` throws, and with `StoreFullError`.
 */
export function openStore(options: StoreOptions): Promise<Store> {
  return storeIn(openEnvironment(options), options);
}

/**
 * Opens the store in an open environment, as `openStore` does. Closes the environment with the store, and when this
 * rejects.
 */
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
  const records = recordTable(environment);
  const history = historyTable(environment, records);
  // Before the targets: it reads them when it writes at the end of a transaction, while they still hold what that has read.
  const scrapes = scrapeTable(environment, (target) => targets.get(target)?.url);
  const targets = targetTable(environment);
  return {
    meta: metaTable(environment),
    /** Settings that were set at run time, by name; the reader of a setting checks its value. */
    settings: table<string, unknown>(environment, 'settings'),
    ...countedTables(environment, { projects: projectTable(environment), targets }),
    /** The targets that nobody watches any more and that are being removed, and whether their records and history go as well. */
    removals: table<number, { readonly records: boolean }>(environment, 'targets.removals'),
    schedule: scheduleTable(environment),
    infeasible: infeasibleTable(environment),
    records,
    ages: ageTable(environment),
    types: typeTable(environment),
    pages: pageTable(environment),
    itemPages: itemPageTable(environment),
    files: fileTable(environment),
    history,
    scrapes,
    steps: stepTable(environment),
    /** The newest ended steps of all kinds. */
    stepIndex: stepIndexTable(environment),
    events: eventTable(environment, history, scrapes),
    /** How far each sink is, by its id. */
    cursors: table<string, CursorRow>(environment, 'sinks.cursors'),
    sinks: sinkTables(environment),
    /** The part of each host ledger that outlives a restart, by politeness key. */
    hosts: table<string, LedgerRow>(environment, 'hosts'),
    /** The sealed sessions, by source. */
    sessions: table<string, string>(environment, 'sessions'),
    /** What is known of each robots.txt, by origin and by the name that it is read for. */
    robots: table<[origin: string, asker: string], RobotsEntry>(environment, 'robots'),
    /** The circuits that are not closed, by source. */
    circuits: table<string, Circuit>(environment, 'circuits'),
    definitions: definitionTable(environment),
    metrics: metricTable(environment),
    metRules: metRuleTable(environment),
    crawls: crawlTable(environment),
    frontier: frontierTable(environment),
    copies: copyTable(environment),
    waste: wasteTable(environment),
    /** The index of the kept pages; `src/vault` keeps their files. */
    vault: vaultTable(environment),
    /** The jobs that read kept pages again, and what they found. */
    reextractions: reextractionTable(environment),
    /** What runs gave, and those under way. */
    runs: runTables(environment),
    holds: holdTable(environment),
    /** The tokens of the HTTP API, by id. */
    tokens: namingSources(environment, table<string, TokenRow>(environment, 'tokens'), {
      row: (row, rename) => (row.sources === undefined ? row : { ...row, sources: row.sources.map(rename) }),
    }),
    /** The log-ins of browsers, by id. */
    logIns: table<string, LogInRow>(environment, 'log_ins'),
    /** What viewers of the dashboard have saved and viewed. */
    viewers: viewerTable(environment),
    /** What callers changed, and what they were denied. */
    audit: auditTable(environment),
    /** What an operator has paused, by an id of the pause. */
    pauses: namingSources(environment, table<string, PauseView>(environment, 'pauses'), {
      row: (row, rename) => (row.source === undefined ? row : { ...row, source: rename(row.source) }),
    }),
    /** Trouble reports. */
    tickets: ticketTable(environment),
    sources: sourceNames(environment),
    /** The last version that a repair without a person made of a definition, by source. Written before the file is, which may not come about then. */
    autoRepairs: namingSources(environment, table<string, string>(environment, 'sources.auto_repairs'), {
      key: 'whole',
    }),
    /** What is known of pipelines, their runs, and what these wait for. */
    pipelines: pipelineTables(environment),
    /** The rename of a source that is under way, under `source`. */
    renames: table<'source', SourceRename>(environment, 'sources.renames'),
  };
}

function storeOver(
  environment: Environment,
  tables: Tables,
  { now, scheduling, newId }: Pick<Store, 'newId'> & Pick<StoreOptions, 'now' | 'scheduling'>,
): Store {
  const listeners = new Set<EventListener>();
  const { events } = tables;
  let closed = false;

  return {
    ...tables,
    environment,
    scheduling,
    newId,
    generation() {
      const generation = tables.meta.generation();
      if (generation === undefined) throw new Error('expected the store to have a generation once it is open');
      return generation;
    },
    now,
    write,
    onEvents(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      const isFirst = !closed;
      closed = true;
      try {
        if (isFirst && tables.scrapes.hasSpareNumbers())
          await environment.commit(tables.scrapes.releaseNumbers, { evenWhenFull: true });
      } catch (error) {
        // On a full disk, the numbers of scrapes get a gap.
        if (!(error instanceof StoreFullError)) throw error;
      } finally {
        await environment.close();
      }
    },
    isClosed: () => closed,
  };

  async function write<T>(run: (change: Change) => T, options?: CommitOptions): Promise<T> {
    let told: Event[] = [];
    const change = (at: number): Change => ({
      at,
      tell(event, toldAt = at) {
        told.push(events.add((id) => ({ id, version: 1, at: toldAt, ...event })));
      },
      tellChange(row, projects) {
        told.push(events.addChange(row, { at, projects }));
      },
      tellScrape(what, scrape, projects) {
        const event = events.addOfScrape(what, scrape, projects);
        told.push(event);
        return event.id;
      },
      lastEvent: events.last,
    });
    const result = await environment.commit(() => {
      told = [];
      return run(change(now()));
    }, options);
    const last = told.at(-1);
    if (last !== undefined) for (const listener of listeners) listener(last.id, told);
    return result;
  }
}
