import type { System } from '../actor/system.ts';
import type { HandlerDeps } from '../control/handlers/deps.ts';
import type { CircuitView } from '../fetch/circuit-book.ts';
import type { CatalogueChange } from '../definition/catalogue.ts';
import type { Names } from '../../supervisors/names.ts';
import type { ReconcilerStatus } from '../../workers/reconciler.ts';
import type { SourceStatus } from '../../workers/source.ts';
import type { Identity } from './claim.ts';
import type { DaemonOptions } from './open.ts';
import type { HostView } from '../../workers/hosts.ts';
import { scheduleAt } from './due-inputs.ts';
import { PulseCount } from '../provider/pulse-round.ts';
import { rememberedPace } from '../store/infeasible.ts';
import { tallyOf } from '../store/waste.ts';
import { circuitsBySource, robotsTxtView, robotsVerdictView } from './host-views.ts';
import type { Plugins } from './plugins.ts';
import type { Robots } from './robots.ts';
import type { Scraping } from './scraping.ts';
import type { Sessions } from './sessions.ts';
import type { DaemonState } from './state.ts';

export interface HandlerParts {
  readonly options: DaemonOptions;
  readonly state: DaemonState;
  readonly names: Names;
  readonly scraping: Scraping;
  readonly plugins: Plugins;
  readonly robots: Robots;
  readonly sessions: Sessions;
  readonly system: System;
  readonly identity: Identity;
  stop(): void;
}

/** What the control methods reach of the daemon. */
export function createHandlerDeps({
  options,
  state,
  names,
  scraping,
  plugins,
  robots,
  sessions,
  system,
  identity,
  stop,
}: HandlerParts): HandlerDeps {
  const hosts = names.hosts.via('hosts');
  const reconciler = names.reconciler.via('reconciler');
  return {
    clock: state.clock,
    store: state.store,
    catalogue: state.catalogue,
    look(project) {
      names.projects.whereis(project)?.send({ type: 'look' });
      names.planner.whereis('planner')?.send({ type: 'changed', sources: [] });
    },
    reconcile() {
      reconciler.send({ type: 'reconcile' });
      names.planner.whereis('planner')?.send({ type: 'changed', sources: [] });
    },
    releaseActor: (kind, id) => reconciler.ask<boolean>((reply) => ({ type: 'release', kind, id, reply })),
    reload: () =>
      names.definitions.via('definitions').ask<CatalogueChange>((reply) => ({ type: 'reload', reply }), 60_000),
    resolve: (url, signal) => plugins.resolve(url, signal),
    pluginProblem: (source) => plugins.problemOf(source),
    dueInputsOf: (target) => scraping.dues.dueInputsOf(target),
    scheduleOf: (place) => scheduleAt(place, state),
    knownPace: (key) => state.paces.of(key) ?? rememberedPace(state.store().infeasible.ofKey(key)),
    leftAlone: (key) => hosts.ask<ReadonlyMap<string, number>>((reply) => ({ type: 'left-alone', key, reply })),
    tally: (of, from) => tallyOf(state.store(), of, from, state.clock.now()),
    pulseOf: (source) => (source.pulse === undefined ? undefined : new PulseCount(source, options.pulseEveryMs)),
    apiOnly: options.apiOnly ?? false,
    tryPage: (trial, url, signal) => scraping.tryPage(trial, url, signal),
    ledgers: (asked) => hosts.ask<readonly HostView[]>((reply) => ({ type: 'list', ...asked, reply })),
    circuits: async () =>
      circuitsBySource(await hosts.ask<readonly CircuitView[]>((reply) => ({ type: 'circuits', reply }))),
    robotsTxt: (source, url) => robotsTxtView(url, robots.entry(source, url)),
    robotsVerdict: (source, url) => robotsVerdictView(source, url, robots.entry(source, url), state.clock.now()),
    sessionOf: (id) => sessions.conditionOf(id),
    async resetSession(id) {
      const actor = names.sources.whereis(id);
      await actor?.ask<void>((reply) => ({ type: 'reset', reply }), 60_000);
      return actor !== undefined;
    },
    bot: options.bot,
    async pulseStatus(id) {
      const actor = names.sources.whereis(id);
      return actor === undefined
        ? undefined
        : (await actor.ask<SourceStatus>((reply) => ({ type: 'status', reply }))).pulse;
    },
    tree: () => system.inspect(),
    settings: state.settings,
    async saveSettings(settings) {
      const { everyMs, initialDelayMs } = state.settings();
      await state.saveSettings(settings);
      options.applied?.(settings);
      if (everyMs !== settings.everyMs || initialDelayMs !== settings.initialDelayMs)
        names.planner.whereis('planner')?.send({ type: 'changed', sources: 'all' });
    },
    async progress() {
      // Control may be asked before the reconciler has begun.
      if (names.reconciler.whereis('reconciler') === undefined) return { ready: false, remaining: 0 };
      return reconciler.ask<ReconcilerStatus>((reply) => ({ type: 'status', reply }));
    },
    ended: state.ended,
    paused: state.paused,
    pausedUntil: state.pausedUntil,
    shutdown: stop,
    daemon: { ...identity, version: options.version, data: options.data },
  };
}
