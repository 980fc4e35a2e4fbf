import type { ExtractRoom } from '../extract/room.ts';
import type { BodyBudget } from '../fetch/body-budget.ts';
import type { HostRow } from '../fetch/host-row.ts';
import { bringForward, isSetBack } from '../store/bring-forward.ts';
import { releaseClaim } from '../store/claim.ts';
import { trim } from '../store/retention.ts';
import type { Table } from '../store/tables/table.ts';
import { closeOpenScrapes } from '../store/scrapes.ts';
import type { Names } from '../../supervisors/names.ts';
import type { RootDeps } from '../../supervisors/root.ts';
import { extractPage } from '../../workers/extractors.ts';
import type { Children } from './children.ts';
import { claimData, type Identity } from './claim.ts';
import type { DaemonOptions } from './open.ts';
import { createScheduling } from './scheduling.ts';
import type { Scraping } from './scraping.ts';
import type { DaemonState } from './state.ts';

export interface RootParts {
  readonly options: DaemonOptions;
  readonly state: DaemonState;
  readonly names: Names;
  readonly scraping: Scraping;
  readonly children: Children;
  readonly identity: Identity;
  readonly budget: BodyBudget;
  readonly extractRoom: ExtractRoom;
  readonly maxInFlight: number;
}

/** How many of the newest rows of each log are kept. */
const kept = {
  events: 1_000_000,
  scrapes: 2_000_000,
  steps: 2_000_000,
  commits: 1_000_000,
  history: 100_000_000,
};

/** What each actor of the tree needs. */
export function createRootDeps({
  options,
  state,
  names,
  scraping,
  children,
  identity,
  budget,
  extractRoom,
  maxInFlight,
}: RootParts): RootDeps {
  const { clock, random } = options;
  const lookAll = () => {
    for (const id of names.projects.keys()) names.projects.whereis(id)?.send({ type: 'look' });
  };

  return {
    names,
    store: {
      options: {
        path: options.data,
        now: () => clock.now(),
        scheduling: createScheduling(state.catalogue, state.settings),
        claim: (store) => claimData(store, identity, options.data),
        ...(options.storeLimitBytes !== undefined && { limitBytes: options.storeLimitBytes }),
      },
      async recover(store) {
        await closeOpenScrapes(store);
        if (isSetBack(store, clock.now())) await bringForward(store);
      },
      release: (store) => releaseClaim(store, identity),
      published: state.setStore,
    },
    definitions: {
      registry: names.definitions,
      folder: options.sources,
      keep: (sources, removed) =>
        state.store().write(
          () => {
            for (const { source, version } of sources) state.store().definitions.adopt(source.id, version, source);
            for (const source of removed) state.store().definitions.drop(source);
          },
          { durable: true, evenWhenFull: true },
        ),
      published(catalogue, { changed, removed }) {
        state.setCatalogue(catalogue);
        // A source's own actor reads its pulse when it starts.
        for (const id of [...changed, ...removed]) names.sources.whereis(id)?.send({ type: 'reload' });
        lookAll();
      },
    },
    hosts: {
      clock,
      random,
      registry: names.hosts,
      loadHosts: () => Array.from(state.store().hosts.entries(), ({ key, row }) => [key, row as HostRow] as const),
      saveHosts: (rows) => void state.unlessFull(() => saveRows(state.store().hosts, rows)),
      circuits: {
        load: () => Array.from(state.store().circuits.entries(), ({ key, row }) => [key, row] as const),
        save: (rows) => void state.unlessFull(() => saveRows(state.store().circuits, rows)),
      },
      capped: (key, askedMs) =>
        options.warn(`${key} asks to be left alone for ${Math.round(askedMs / 3_600_000)} h: 24 h are honoured`),
      hasRoom: () => budget.hasRoom() && extractRoom.hasRoom(),
      maxInFlight,
    },
    extractors: { registry: names.extractors, room: extractRoom, threads: options.threads },
    engine: {
      registry: names.engine,
      budget,
      now: () => clock.now(),
      clock,
      userAgent: options.bot.userAgent,
      warn: options.warn,
      extract: (page, reading, signal) => extractPage(names.extractors.via('extractors'), { page, reading }, signal),
    },
    adopting: {
      gaveUp: (kind, id, reason) => names.reconciler.via('reconciler').send({ type: 'gave-up', kind, id, reason }),
    },
    reconciler: {
      ...children,
      clock,
      random,
      registry: names.reconciler,
      async before() {
        // Also while scraping is paused: what is removed may be the room that it waits for.
        await state.unlessFull(() => trim(state.store(), kept));
        if (await state.resume()) lookAll();
      },
      gaveUp: ({ kind, id, retryAt, times }) =>
        void state.unlessFull(() =>
          state.store().write((change) => {
            change.tell({
              type: 'actor.gave_up',
              ...(kind === 'project' && { project: id }),
              ...(kind === 'source' && { source: id }),
              data: { kind, id, retryAt, times },
            });
          }),
        ),
      async wallJumped() {
        await state.unlessFull(() => bringForward(state.store()));
        scraping.restarted();
        lookAll();
      },
    },
  };

  /** Puts rows by key, and drops those that are `undefined`. */
  function saveRows<V>(
    rows: Pick<Table<string, V>, 'put' | 'remove'>,
    changed: readonly (readonly [string, V | undefined])[],
  ): Promise<void> {
    return state.store().write(() => {
      for (const [key, row] of changed) {
        if (row === undefined) rows.remove(key);
        else rows.put(key, row);
      }
    });
  }
}
