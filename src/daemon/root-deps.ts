import { hostname } from 'node:os';
import { lateConfirms } from './late-confirms.ts';
import type { Catalogue } from '../definition/catalogue.ts';
import { usersOf, usersText } from '../store/source-users.ts';
import { normalForm, typeRules } from '../definition/catalogue.ts';
import { beginInFile } from '../store/generation.ts';
import { adoptTypes } from '../store/entities.ts';
import { adoptFiles } from '../store/files.ts';
import { fileFieldsOf } from '../definition/file-fields.ts';
import { problemText } from '../definition/problem.ts';
import { bringForward } from '../store/schedule.ts';
import { releaseClaim } from '../store/claim.ts';
import { isSpentEntry } from '../fetch/robots/verdict.ts';
import { Sweep, makeRoom } from '../store/retention.ts';
import { settleHolds } from '../store/settle-holds.ts';
import { putOrRemove } from '../store/lmdb/table.ts';
import { hasSource, noteRename, renameSource } from '../store/rename-source.ts';
import { endOf, endPauses, pauseOf, pausesIn } from '../store/pauses.ts';
import { recover } from '../store/scrapes.ts';
import { beginSinks } from '../store/sinks.ts';
import type { Change, Store } from '../store/store.ts';
import type { RootDeps } from '../../supervisors/root.ts';
import { openRemoteSteps } from '../engine/bullmq/remote-steps.ts';
import type { EngineDeps } from '../../workers/engine.ts';
import { extractPage } from '../../workers/extractors.ts';
import { handOverMs } from '../../workers/hosts.ts';
import { defined } from '../defined.ts';
import type { Children } from './children.ts';
import { claimData, fileOf } from './claim.ts';
import type { ContinuousBackup } from './continuous-backup.ts';
import { deathStore } from './death-store.ts';
import { effectiveSchedules } from '../definition/effective-schedule.ts';
import { politenessKey } from '../definition/source.ts';
import { type HostOf, saveCircuits } from '../store/circuits.ts';
import { HistorySettings } from '../definition/history.ts';
import { policyOf, turnOutcomeOf } from '../request/turn.ts';
import { createScheduling } from '../schedule/scheduling.ts';
import { whyStopped } from './start-failure.ts';
import { expirePack } from '../vault/expire.ts';
import { Vault, vaultFolder } from '../vault/vault.ts';
import type { Daemon } from './parts.ts';
import { forgetGone } from './pipelines.ts';

/** Turns out at a time over all hosts. */
const maxInFlight = 256;

/** The most problems of definitions that one reload tells the log. */
const maxToldProblems = 20;

/** The dependencies of each actor of the tree. */
export function createRootDeps(daemon: Daemon, children: Children): RootDeps {
  const { options, clock, state, names, identity, bodies, extractRoom, plugins } = daemon;
  const random = (): number => options.random();
  const history = options.history ?? HistorySettings.parse({});
  const sweep = new Sweep(
    (entry) => isSpentEntry(entry, clock.now()),
    (source) => {
      const { keep, detail, changes } = { ...history, ...state.catalogue().sources.get(source)?.source.history };
      return { keepMs: keep, detailMs: detail, changes };
    },
  );
  const { vault: vaultLimits = 'off' } = options;
  const saved = (write: (store: Store, change: Change) => void) =>
    state.unlessFull(() => {
      const store = state.store();
      return store.write((change) => write(store, change));
    });
  const hostOf: HostOf = (id, url) => {
    const source = state.catalogue().sources.get(id)?.source;
    return source && politenessKey(source, url);
  };
  const lookAll = () => {
    for (const id of names.projects.keys()) names.projects.whereis(id)?.send({ type: 'look' });
  };

  /** Tells the log the first of many things. */
  const tell = (texts: readonly string[], what: string) => {
    for (const text of texts.slice(0, maxToldProblems)) options.warn(text);
    if (texts.length > maxToldProblems) options.warn(`and ${texts.length - maxToldProblems} more ${what}`);
  };

  const openVault = (store: Store) =>
    Vault.open({
      folder: vaultFolder(options.data),
      store,
      full(failure) {
        void state.unlessFull(async () => {
          throw failure;
        });
      },
      warn: (what) => options.warn(what),
    });

  /** Removes packs whose time is over; also while scraping is paused, as that makes room. */
  async function expirePages(): Promise<void> {
    const vault = state.vault();
    if (vault === undefined || vaultLimits === 'off') return;
    await state.unlessFull(() => expirePack(state.store(), vault, vaultLimits));
  }

  let following: ContinuousBackup | undefined;

  /** Worker processes say how many turns they can use. */
  let turns = options.queues === undefined ? (options.maxInFlight ?? maxInFlight) : 0;
  const { queues } = options;
  const openDispatcher: EngineDeps['openDispatcher'] =
    queues &&
    ((signal) => {
      turns = 0;
      const remote = openRemoteSteps(
        queues,
        {
          clock,
          version: options.version,
          warn: options.warn,
          info: (what) => options.log?.('info', what, {}),
          forgetAfterMs: queues.workers.forgetAfter,
          // The file of the store is the daemon's own: a copy has another.
          holder: `${hostname()} ${state.store().meta.home()}`,
          turns: {
            adopted: (turn) => names.hosts.whereis('hosts')?.send({ type: 'adopt', turn }),
            ended(lease, outcome) {
              const ended = outcome === undefined ? { kind: 'unused' as const } : turnOutcomeOf(outcome);
              names.hosts.whereis('hosts')?.send({ type: 'done', lease, outcome: ended });
            },
          },
          deaths: deathStore(state),
          credited(steps) {
            turns = steps;
            names.hosts.whereis('hosts')?.send({ type: 'room' });
          },
        },
        signal,
      );
      return {
        ...remote,
        async run(step, ...others) {
          const outcome = await remote.run(step, ...others);
          return step.reading?.plugin === undefined ? outcome : plugins.told(step.reading, outcome);
        },
      };
    });

  return {
    names,
    store: {
      options: {
        path: options.data,
        now: () => clock.now(),
        scheduling: createScheduling(effectiveSchedules(state), random),
        claim: (store) => claimData(store, identity, options.data),
        ...defined({ limitBytes: options.storeLimitBytes }),
      },
      async recover(store) {
        await beginInFile(store, fileOf(store.environment.path));
        await recover(store, clock.now());
        if (vaultLimits !== 'off') state.setVault(await openVault(store));
        if (options.backup === undefined) return;
        const { followStore } = await import('./continuous-backup.ts');
        const { data, warn } = options;
        const info = (what: string): void => options.log?.('info', what, {});
        following = followStore({ options: options.backup, data, clock, store, vault: state.vault, warn, info });
        state.setBackup(following);
      },
      async closing(store) {
        await state.steps.close(store);
        const vault = state.vault();
        state.setVault(undefined);
        await vault?.close();
        await following?.close();
        following = undefined;
        state.setBackup(undefined);
      },
      release: (store) => releaseClaim(store, identity),
      published: state.setStore,
    },
    definitions: {
      registry: names.definitions,
      folder: options.sources,
      plugins: options.plugins,
      builtIn: options.builtIn ?? [],
      usersOf(source) {
        const users = usersOf(state.store(), source);
        return users.targets === 0 ? undefined : usersText(users);
      },
      unfitIssues: (source) => lateConfirms(source, state.store(), clock.now()),
      replay: daemon.replay,
      keep(catalogue, removed, replays) {
        const store = state.store();
        const { write, definitions: rows } = store;
        return write(
          (change) => {
            for (const { source, examples: _examples, emptied: _emptied, ...data } of replays)
              change.tell({ type: 'source.changed', source, data });
            for (const [id, loaded] of catalogue.sources) {
              rows.adopt(id, loaded.version, normalForm(loaded));
              adoptTypes(store, id, typeRules(catalogue, loaded));
              adoptFiles(store, id, fileFieldsOf(loaded.source));
            }
            beginSinks(store, catalogue.sinks.keys());
            for (const source of removed) {
              rows.drop(source);
              adoptTypes(store, source, new Map());
            }
          },
          { durable: true, evenWhenFull: true },
        );
      },
      notedRename: () => state.store().renames.get('source'),
      noteRename: (rename) => noteRename(state.store(), rename),
      renameSource: (rename) => renameSource(state.store(), rename),
      isStored: (source) => hasSource(state.store(), source),
      published(catalogue, { changed, removed }) {
        const before = state.catalogue();
        state.setCatalogue(catalogue);
        void daemon.sinks
          .replaced(before, catalogue)
          .then(() => names.reconciler.whereis('reconciler')?.send({ type: 'reconcile' }));
        tell(catalogue.problems.map(problemText), 'problems of definitions');
        tell(lostTexts(catalogue, state.store()), 'sources without a definition');
        if (vaultLimits === 'off') tell(unfetchedTexts(catalogue), 'sources whose files are not fetched');
        // A source's own actor reads its pulse when it starts.
        for (const id of [...changed, ...removed]) names.sources.whereis(id)?.send({ type: 'reload' });
        void state.unlessFull(() => forgetGone(state.store(), catalogue));
        names.pipelines.whereis('pipelines')?.send({ type: 'look' });
        lookAll();
        if (changed.length > 0) names.diagnoser.whereis('diagnoser')?.send({ type: 'defined', sources: changed });
        // A planner that starts later compares all sources with those of the last run itself.
        names.planner.whereis('planner')?.send({ type: 'changed', sources: [...changed, ...removed] });
      },
    },
    hosts: {
      clock,
      random,
      registry: names.hosts,
      loadHosts: () => Array.from(state.store().hosts.entries(), ({ key, row }) => [key, row] as const),
      saveHosts: (rows) => void saved((store) => putOrRemove(store.hosts, rows)),
      circuits: {
        load: () => Array.from(state.store().circuits.entries(), ({ key, row }) => [key, row] as const),
        save: (rows) => void saved((store, change) => saveCircuits(store, change, rows, hostOf)),
      },
      onRetryAfterCapped: (key, askedMs) =>
        options.warn(`${key} asks to be left alone for ${Math.round(askedMs / 3_600_000)} h: 24 h are honoured`),
      answered(key, slowness) {
        if (!state.paces.note(key, slowness, slowness.policy) || !state.store().schedule.hasObjectives(key)) return;
        names.planner.whereis('planner')?.send({ type: 'changed', sources: [] });
      },
      // Scrapes that begin while thousands of projects are being started would make these wait several times as long.
      hasRoom: () =>
        state.progress().ready && bodies.hasRoom() && extractRoom.hasRoom() && state.paused() === undefined,
      pausedUntil({ key, source }) {
        const pause = pauseOf(pausesIn(state.store(), clock.now()), { host: key, ...defined({ source }) });
        return pause && endOf(pause);
      },
      started: state.setWaiting,
      granted(offer, lease) {
        const project = names.projects.whereis(offer.project);
        if (project === undefined) return false;
        const lateAt = clock.monotonic() + handOverMs;
        const turn = daemon.gate.firstTurn(offer, lease, () => clock.monotonic() > lateAt);
        project.send({ type: 'granted', target: offer.id, turn });
        return true;
      },
      policyOf({ source: id, origin, policy }) {
        const source = state.catalogue().sources.get(id)?.source;
        return source === undefined ? policy : policyOf(source, daemon.requests.robots.crawlDelayMs(source, origin));
      },
      prepare({ source: id, origin }, signal) {
        const source = state.catalogue().sources.get(id)?.source;
        return source && daemon.requests.prepare(source, origin, signal);
      },
      get maxInFlight() {
        return turns;
      },
    },
    extractors: { registry: names.extractors, room: extractRoom, threads: options.threads },
    plugins: { registry: names.plugins, ...defined({ limits: options.pluginLimits }) },
    engine: {
      registry: names.engine,
      budget: bodies,
      now: () => clock.now(),
      clock,
      userAgent: options.bot.userAgent,
      warn: options.warn,
      extract: (page, reading, signal, keepsBody) =>
        extractPage(names.extractors.via('extractors'), { page, reading, keepsBody }, signal),
      readByPlugin: (page, reading, signal) => plugins.read(page, reading, signal),
      ...defined({ openDispatcher }),
    },
    gaveUp: (kind, id, reason) => names.reconciler.via('reconciler').send({ type: 'gave-up', kind, id, reason }),
    reconciler: {
      ...children,
      clock,
      random,
      registry: names.reconciler,
      progressed(progress) {
        const wasReady = state.progress().ready;
        state.setProgress(progress);
        if (progress.ready && !wasReady) names.hosts.whereis('hosts')?.send({ type: 'room' });
      },
      async before() {
        // Also while scraping is paused: removing rows may make the room that the pause waits for.
        await state.unlessFull(() => makeRoom(state.store(), sweep, clock.now()));
        // What the end of the daemon has cut.
        await state.unlessFull(() => settleHolds(state.store()));
        await state.unlessFull(() => endPauses(state.store()));
        await expirePages();
        if (!(await state.resume())) return;
        await state.vault()?.resume();
        names.hosts.via('hosts').send({ type: 'room' });
        lookAll();
      },
      gaveUp({ kind, id, reason, times, at, retryAt }) {
        if (kind !== 'project') state.gaveUp({ kind, id, reason: whyStopped(reason), at, retryAt });
        void saved((_, change) => {
          const of = kind === 'edge' ? {} : kind === 'project' ? { projects: [id] } : { source: id };
          change.tell({ type: 'actor.gave_up', ...of, data: { kind, id, retryAt, times } });
        });
      },
      async wallJumped() {
        await state.unlessFull(() => bringForward(state.store()));
        lookAll();
        names.planner.whereis('planner')?.send({ type: 'look' });
        names.pipelines.whereis('pipelines')?.send({ type: 'look' });
      },
    },
  };
}

/** Formats which sources have active targets, but no definition that is loaded. */
function lostTexts({ sources }: Catalogue, store: Store): string[] {
  const lost = store.counts.usedSources().filter((id) => !sources.has(id));
  return lost.map((id) => `source ${id} has no definition that could be loaded, but ${usersText(usersOf(store, id))}`);
}

/** Formats which sources name files that are not fetched, as there is no vault. */
function unfetchedTexts({ sources }: Catalogue): string[] {
  const naming = [...sources.values()].filter(({ source }) => Object.keys(fileFieldsOf(source)).length > 0);
  return naming.map(
    ({ source: { id } }) => `source ${id} names files, which are not fetched: heronry.yaml says \`vault: off\``,
  );
}
