import type { Clock } from '../clock.ts';
import type { LoadedSource, PluggedSource } from '../definition/catalogue.ts';
import type { RunStep } from '../engine/step.ts';
import type { Offer } from '../fetch/ledger/host-line.ts';
import type { ExpectedWait } from '../fetch/ledger/ledger-view.ts';
import type { RobotsEntry } from '../fetch/robots/verdict.ts';
import type { PluginServices } from '../plugin/services.ts';
import type { Authenticated, SessionDesk } from '../session/desk.ts';
import type { Secrets } from '../session/secret-store.ts';
import type { PluginLogin } from '../session/start-login.ts';
import type { Circuits, Gate } from './gate.ts';
import type { StepWatcher } from '../view/watched-step.ts';

/** The parts of the daemon on which requests depend. */
export interface RequestPorts {
  readonly clock: Clock;
  /** A number in `[0, 1)`. */
  random(): number;
  readonly hosts: HostPorts;
  readonly sources: SourcePorts;
  readonly secrets: Secrets;
  readonly rows: RequestRows;
  readonly runStep: RunStep;
  /** Told of each step. Default: nobody is. */
  readonly steps?: StepWatcher;
  /** Told by its receipt that what a step brought need not be kept any more, where it was for no page of a scrape. Default: nobody is. */
  acknowledge?(receipt: string): void;
  readonly daemon: DaemonFacts;
}

/** The ledgers of the hosts. */
export interface HostPorts {
  readonly gate: Gate;
  readonly circuits: Circuits;
  /** The wait of an offer if it were made now, and the reason for it. Rejects with a `CallError` when the ledgers end. */
  expectedWait(offer: Pick<Offer, 'key' | 'policy'>): Promise<ExpectedWait>;
}

/** The sources as they are loaded now, and the sessions that their actors keep. */
export interface SourcePorts extends KeptSessions {
  /** A source by its id. */
  loaded(source: string): LoadedSource | undefined;
  /** Logs in by the plug-in of a source, which makes its requests by `fetch`. Rejects with the signal's reason when that fires first. */
  loginByPlugin(loaded: PluggedSource, fetch: PluginServices['fetch'], signal: AbortSignal): Promise<PluginLogin>;
}

/** The sessions that the actors of sources keep. */
export interface KeptSessions {
  /** The session of a source; `undefined` while no actor keeps it. Rejects for errors of ours. */
  session(source: string): Promise<SessionDesk | undefined>;
  /**
   * Gets newer credentials than those of a generation; `undefined` while no actor keeps the session. Rejects when the session cannot be
   * saved.
   */
  authenticate(source: string, stale: number): Promise<Authenticated | undefined>;
}

/** The rows of the store that requests read and write. */
export interface RequestRows {
  /** The answers of origins for their robots.txt, by origin and by a name that sources with the same answer share. */
  readonly robots: {
    load(origin: string, name: string): RobotsEntry | undefined;
    save(origin: string, name: string, entry: RobotsEntry): void;
  };
  /** The sealed sessions by source. */
  readonly sessions: {
    load(source: string): string | undefined;
    /** Saves a session. Resolves when it is durable; rejects when it cannot be written. */
    save(source: string, sealed: string): Promise<void>;
  };
  /** Whether a page of a target has closed its elements whenever it was read, so that where it ends within one, it was cut off. */
  hasClosed(target: number, url: string): boolean;
}

/** Facts of the daemon on which requests depend, and its log. */
export interface DaemonFacts {
  /** The data folder, which holds the key that sessions are sealed with. */
  readonly data: string;
  /** The name that robots.txt is read for, and whether nothing but loopback may be asked, as no contact is configured. */
  readonly bot: { readonly name: string; readonly onlyLoopback: boolean };
  /** Takes a sentence for the log of the daemon. */
  warn(message: string): void;
}
