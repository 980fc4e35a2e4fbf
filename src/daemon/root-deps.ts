import type { LoadedSource } from '../definition/catalogue.ts';
import type { ExtractRoom } from '../extract/room.ts';
import type { BodyBudget } from '../fetch/body-budget.ts';
import type { HostRow } from '../fetch/host-row.ts';
import { bringForward, isSetBack } from '../store/bring-forward.ts';
import { releaseClaim } from '../store/claim.ts';
import { isSpent } from '../fetch/robots/entry.ts';
import { trim } from '../store/retention.ts';
import { trimWaste } from '../store/waste.ts';
import { Sweep } from '../store/sweep.ts';
import type { Table } from '../store/tables/table.ts';
import { closeOpenScrapes } from '../store/scrapes.ts';
import type { Names } from '../../supervisors/names.ts';
import type { RootDeps } from '../../supervisors/root.ts';
import { extractPage } from '../../workers/extractors.ts';
import type { Children } from './children.ts';
import { claimData, type Identity } from './claim.ts';
import type { DaemonOptions } from './open.ts';
import { createScheduling } from './scheduling.ts';
import type { Plugins } from './plugins.ts';
import type { Scraping } from './scraping.ts';
import type { DaemonState } from './state.ts';

export interface RootParts {
  readonly options: DaemonOptions;
  readonly state: DaemonState;
  readonly names: Names;
  readonly scraping: Scraping;
  readonly plugins: Plugins;
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

/** What is kept of a version: the definition, and the text of its plug-in. */
function normalForm({ source, plugin }: LoadedSource): unknown {
  return plugin === undefined ? source : { ...source, pluginText: plugin.source };
}

/** What each actor of the tree needs. */
export function createRootDeps({
  options,
  state,
  names,
  scraping,
  plugins,
  children,
  identity,
  budget,
  extractRoom,
  maxInFlight,
}: RootParts): RootDeps {
  const { clock, random } = options;
  const sweep = new Sweep((entry) => isSpent(entry, clock.now()));
  const lookAll = () => {
    for (const id of names.projects.keys()) names.projects.whereis(id)?.send({ type: 'look' });
  };

  return {
    names,
    store: {
      options: {
        path: options.data,
        now: () => clock.now(),
        scheduling: createScheduling(state, random),
        claim: (store) => claimData(store, identity, options.data),
        ...(options.storeLimitBytes !== undefined && { limitBytes: options.storeLimitBytes }),
      },
      async recover(store) {
        // What is closed is taken down at the present time, by which the clock would not look set back any more.
        if (isSetBack(store, clock.now())) await bringForward(store);
        await closeOpenScrapes(store);
      },
      release: (store) => releaseClaim(store, identity),
      published: state.setStore,
    },
    definitions: {
      registry: names.definitions,
      folder: options.sources,
      plugins: options.plugins,
      keep: (sources, removed) =>
        state.store().write(
          () => {
            for (const loaded of sources)
              state.store().definitions.adopt(loaded.source.id, loaded.version, normalForm(loaded));
            for (const source of removed) state.store().definitions.drop(source);
          },
          { durable: true, evenWhenFull: true },
        ),
      published(catalogue, { changed, removed }) {
        state.setCatalogue(catalogue);
        // A source's own actor reads its pulse when it starts.
        for (const id of [...changed, ...removed]) names.sources.whereis(id)?.send({ type: 'reload' });
        lookAll();
        // At the start it looks by itself for what has changed since the last one.
        names.planner.whereis('planner')?.send({ type: 'changed', sources: [...changed, ...removed] });
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
      answered(key, slowness) {
        if (!state.paces.note(key, slowness, slowness.policy) || !state.store().schedule.isPromised(key)) return;
        names.planner.whereis('planner')?.send({ type: 'changed', sources: [] });
      },
      hasRoom: () => budget.hasRoom() && extractRoom.hasRoom(),
      maxInFlight,
    },
    extractors: { registry: names.extractors, room: extractRoom, threads: options.threads },
    plugins: { registry: names.plugins, ...(options.pluginLimits && { limits: options.pluginLimits }) },
    engine: {
      registry: names.engine,
      budget,
      now: () => clock.now(),
      clock,
      userAgent: options.bot.userAgent,
      warn: options.warn,
      extract: (page, reading, signal) => extractPage(names.extractors.via('extractors'), { page, reading }, signal),
      readByPlugin: (page, reading, signal) => plugins.read(page, reading, signal),
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
        await state.unlessFull(async () => {
          const store = state.store();
          return (await trim(store, kept)) + (await sweep.step(store)) + (await trimWaste(store, clock.now()));
        });
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
        names.planner.whereis('planner')?.send({ type: 'look' });
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
