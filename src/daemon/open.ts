import { CallError } from '../actor/errors.ts';
import type { System } from '../actor/system.ts';
import type { ExitReason } from '../actor/types.ts';
import type { CatalogueChange } from '../definition/catalogue.ts';
import { createHandlers } from '../control/handlers/all.ts';
import { root } from '../../supervisors/root.ts';
import { createChildren } from './children.ts';
import { createDaemon, type Daemon, type DaemonOptions } from './parts.ts';
import { createPorts } from './ports.ts';
import { measureProcess } from './process-load.ts';
import { createRootDeps } from './root-deps.ts';

/** A daemon in this process. */
export interface OpenDaemon {
  readonly parts: Daemon;
  readonly system: System;
  /** Whether the tree came up; if not, it has ended already. */
  readonly isUp: boolean;
  /** Resolves when the control socket listens for the first time; stays pending if the daemon ends before. */
  readonly listening: Promise<void>;
  /** Reads the definitions again, and resolves with what changed. Rejects while the actor that keeps them does not run. */
  reload(): Promise<CatalogueChange>;
  /** Begins an orderly stop; a second call does nothing. */
  stop(): void;
  /** Begins an orderly stop for a fault of the daemon's surroundings, which `ended` gives. */
  fail(error: Error): void;
  /** Resolves when all actors have ended: with `shutdown` after an orderly stop, else with the reason that ended the tree. */
  readonly ended: Promise<ExitReason>;
}

/** Builds a daemon and starts its tree. Resolves when the tree is up or failed to start; `ended` then gives the failure's reason. */
export async function openDaemon(options: DaemonOptions): Promise<OpenDaemon> {
  // Their library takes some memory and time, which a daemon that nobody can ask for them need not spend.
  const ownMetrics = options.http && (await import('../telemetry/metrics.ts')).createMetrics();
  const parts = createDaemon(options, ownMetrics);
  const { system } = parts;
  const load = measureProcess();
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>();
  /** The reason for which the daemon stops by itself. */
  let failure: ExitReason | undefined;
  const ports = createPorts(parts, load, stop);
  const children = createChildren(parts, {
    handlers: createHandlers(ports),
    listens,
    fatal,
  });

  let stopping: Promise<void> | undefined;
  const starting = system.spawn(root(createRootDeps(parts, children)), { id: 'root' });
  const opened = { parts, system, listening, stop, reload, fail: (error: Error) => fatal(['error', error]) };
  const spawned = await starting;
  if (spawned.ok !== true) {
    load.close();
    const reason = spawned.ok === false ? spawned.reason : 'normal';
    return { ...opened, isUp: false, ended: Promise.resolve(reason) };
  }
  const ended = system.ended(spawned.ref).then((reason) => {
    load.close();
    return failure ?? reason;
  });
  return { ...opened, isUp: true, ended };

  async function reload(): Promise<CatalogueChange> {
    const change = await ports.definitions.reload({ force: false, dry: false });
    ports.projects.reconcile();
    return change;
  }

  function fatal(reason: ExitReason): void {
    failure ??= reason;
    stop();
  }

  function stop(): void {
    stopping ??= stopTree();
  }

  async function stopTree(): Promise<void> {
    const started = await starting;
    if (started.ok !== true) return;
    try {
      await system.stop(started.ref, 'shutdown');
    } catch (error) {
      // The tree ended by itself meanwhile, and `ended` has the reason.
      if (!(error instanceof CallError)) throw error;
    }
  }
}
