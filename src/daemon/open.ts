import { createSystem, type System } from '../actor/system.ts';
import { CallError } from '../actor/errors.ts';
import type { Report } from '../actor/report.ts';
import type { ExitReason } from '../actor/types.ts';
import type { Clock } from '../clock.ts';
import { createHandlers } from '../control/handlers/all.ts';
import type { Settings } from '../control/methods/settings.ts';
import type { Step, StepOutcome } from '../engine/step.ts';
import { ExtractRoom } from '../extract/room.ts';
import type { PluginLimits } from '../plugin/services.ts';
import { BodyBudget } from '../fetch/body-budget.ts';
import type { FindSecrets } from '../session/secret-store.ts';
import { createNames } from '../../supervisors/names.ts';
import { root } from '../../supervisors/root.ts';
import type { Ran } from '../../workers/engine.ts';
import { passEveryMs } from '../../workers/reconciler.ts';
import type { Identity } from './claim.ts';
import { bornOf } from './born.ts';
import { type Asking, createAsking } from './asking.ts';
import { createChildren } from './children.ts';
import { createHandlerDeps } from './handler-deps.ts';
import { createPlanning } from './planning.ts';
import { createPlugins } from './plugins.ts';
import { createRobots } from './robots.ts';
import { createRootDeps } from './root-deps.ts';
import { createScraping } from './scraping.ts';
import type { LogLine } from './teller.ts';
import { createSessions } from './sessions.ts';
import { createState } from './state.ts';

/** Runs one step: the seam at which a test puts in what no site can do. */
export type RunStep = (step: Step, signal: AbortSignal, onSent: () => void) => Promise<StepOutcome>;

/** Who asks. */
export interface Bot {
  /** What robots.txt is read for. */
  readonly name: string;
  /** Sent with every request of a source that has none of its own. */
  readonly userAgent: string;
  /** Whether nothing but loopback may be asked, as it tells no contact. */
  readonly onlyLoopback: boolean;
}

export interface DaemonOptions {
  readonly clock: Clock;
  /** In `[0, 1)`. */
  random(): number;
  /** The folder of everything that is kept. */
  readonly data: string;
  /** The folder of definition files. */
  readonly sources: string;
  /** The folder of the plug-ins that they name. */
  readonly plugins: string;
  /** What a call of a plug-in may take, where that is not the usual. */
  readonly pluginLimits?: Partial<PluginLimits>;
  readonly socket: string;
  readonly version: string;
  /** What counts until a person sets it at run time. */
  readonly settings: Settings;
  readonly pulseEveryMs: number;
  /** Serves the control methods alone: nothing is scraped or planned, and no pulse asked. Default: no. */
  readonly apiOnly?: boolean;
  readonly bot: Bot;
  readonly findSecrets: FindSecrets;
  readonly threads: number;
  report(report: Report): void;
  /** Told of what went wrong and ended no life, as a sentence. */
  warn(what: string, error?: unknown): void;
  /** Takes a line of the log: of scrapes, and of what plug-ins say. Default: none is kept. */
  log?(level: LogLine['level'], message: string, data: LogLine['data']): void;
  /** Told of every change of settings. */
  applied?(settings: Settings): void;
  /** How large the store may become, in bytes; without it the disk is the limit. */
  readonly storeLimitBytes?: number;
  /** Stands between the actors and the engine. */
  intercept?(runStep: RunStep): RunStep;
}

/** A daemon in this process. */
export interface OpenDaemon {
  readonly system: System;
  /** Whether it came up; if not, it has ended already. */
  readonly isUp: boolean;
  /** Resolves when the control socket listens for the first time; never when it does not come to that. */
  readonly listening: Promise<void>;
  /** Begins an orderly stop; a second call does nothing. */
  stop(): void;
  /** Resolves when everything has ended: with `shutdown` after an orderly stop, else with why it could not live on. */
  readonly ended: Promise<ExitReason>;
}

/** Pages that may wait for a thread, by thread, before no more turns are given. */
const pagesPerThread = 8;
const maxInFlight = 256;

/** Starts the tree. Resolves when it is up or has failed to come up, which `ended` tells. */
export async function openDaemon(options: DaemonOptions): Promise<OpenDaemon> {
  const { clock, random } = options;
  const names = createNames();
  const system = createSystem({ clock, report: options.report });
  const born = bornOf(process.pid);
  const identity: Identity = {
    pid: process.pid,
    socket: options.socket,
    startedAt: clock.now(),
    ...(born !== undefined && { born }),
  };
  const state = createState({
    clock,
    configured: options.settings,
    resumeEveryMs: passEveryMs,
    onPause: (why) => options.warn(`scraping pauses: ${why}`),
  });
  const room = () => names.hosts.via('hosts').send({ type: 'room' });
  const budget = new BodyBudget({ onRoom: room });
  const extractRoom = new ExtractRoom(options.threads * pagesPerThread, room);
  const runStep = (options.intercept ?? ((inner) => inner))(runOnEngine);
  const { bot } = options;
  const exchange: Asking['exchange'] = (wish, signal) => asking.exchange(wish, signal);
  const robots = createRobots({ clock, state, productToken: bot.name, random, exchange });
  const log = (level: LogLine['level'], message: string, data: LogLine['data']): void =>
    options.log?.(level, message, data);
  const plugins = createPlugins({ names, state, findSecrets: options.findSecrets, log });
  const sessions = createSessions({
    clock,
    state,
    data: options.data,
    findSecrets: options.findSecrets,
    exchange,
    authenticate: (loaded, signal) => plugins.authenticate(loaded, exchange, signal),
    warn: options.warn,
  });
  const asking = createAsking({
    clock,
    names,
    robots,
    proxyOf: (source) => sessions.proxyOf(source),
    onlyLoopback: bot.onlyLoopback,
    runStep,
  });
  const scraping = createScraping({ state, names, bootAt: identity.startedAt, random, ask: asking.ask, plugins, log });
  const planning = createPlanning({ state, names, dues: scraping.dues, conditionOf: (id) => sessions.conditionOf(id) });
  /** Why it stops itself, when nobody asked it to. */
  let failure: ExitReason | undefined;
  const handlers = createHandlers(
    createHandlerDeps({ options, state, names, scraping, plugins, robots, sessions, system, identity, stop }),
  );
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>();
  const children = createChildren({
    state,
    names,
    scraping,
    sessions,
    planning,
    handlers,
    random,
    fatal(reason) {
      failure ??= reason;
      stop();
    },
    listens,
    socket: options.socket,
    pulseEveryMs: options.pulseEveryMs,
    apiOnly: options.apiOnly ?? false,
    handlerFailed: (error, method) => options.warn(`${method} failed`, error),
  });
  const deps = createRootDeps({
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
  });

  let stopping: Promise<void> | undefined;
  const starting = system.spawn(root(deps), { id: 'root' });
  const spawned = await starting;
  if (spawned.ok !== true)
    return {
      system,
      isUp: false,
      listening,
      stop,
      ended: Promise.resolve(spawned.ok === false ? spawned.reason : 'normal'),
    };
  return { system, isUp: true, listening, stop, ended: system.ended(spawned.ref).then((reason) => failure ?? reason) };

  function stop(): void {
    stopping ??= stopTree();
  }

  async function stopTree(): Promise<void> {
    const started = await starting;
    if (started.ok !== true) return;
    try {
      await system.stop(started.ref, 'shutdown');
    } catch (error) {
      // It ended by itself meanwhile, and `ended` tells how.
      if (!(error instanceof CallError)) throw error;
    }
  }

  async function runOnEngine(step: Step, signal: AbortSignal, onSent: () => void): Promise<StepOutcome> {
    const ran = await names.engine
      .via('engine')
      .ask<Ran>((reply) => ({ type: 'run', step, signal, onSent, reply }), Infinity);
    if (ran.ok) return ran.outcome;
    throw ran.error;
  }
}
