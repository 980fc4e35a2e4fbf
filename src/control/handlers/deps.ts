import type { LifeView } from '../../actor/inspect.ts';
import type { Clock } from '../../clock.ts';
import type { Catalogue, CatalogueChange } from '../../definition/catalogue.ts';
import type { Problem } from '../../definition/problem.ts';
import type { SourceMatch } from '../../definition/resolve.ts';
import type { TrialWish, TriedStep } from '../../scrape/try.ts';
import type { Source } from '../../definition/source.ts';
import type { Store } from '../../store/store.ts';
import type { HostView as Ledger } from '../../../workers/hosts.ts';
import type { RobotsView } from '../methods/host.ts';
import type { Settings } from '../methods/settings.ts';
import type { RobotsVerdictView, SourceView } from '../methods/source.ts';
import type { ScheduleDeps } from './schedule-deps.ts';

/** What the handlers need of the daemon. */
export interface HandlerDeps extends ScheduleDeps {
  readonly clock: Clock;
  /** The open store; throws a `ControlError` `not_ready` while there is none. */
  store(): Store;
  catalogue(): Catalogue;
  /** Tells a project's actor that its rows changed. */
  look(project: string): void;
  /** Has the tree compared with the store. */
  reconcile(): void;
  /** Tries again what its supervisor gave up on; whether there was such a thing. */
  releaseActor(kind: 'project' | 'source', id: string): Promise<boolean>;
  reload(): Promise<CatalogueChange>;
  /** Asks a source for one page, each request in its turn, and stores nothing. */
  tryPage(trial: TrialWish, url: string, signal: AbortSignal): Promise<readonly TriedStep[]>;
  /** What plug-ins make of an address that a person gave; missing where there are none that can. */
  resolve?(url: string, signal: AbortSignal): Promise<readonly SourceMatch[]>;
  /** Why a source's plug-in cannot be used, as far as is known; missing where there are none. */
  pluginProblem?(source: string): Problem | undefined;
  /** Some ledgers in the order of their keys, or one; instants are wall time. */
  ledgers(
    asked: { readonly key: string } | { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly Ledger[]>;
  /** The circuits that are not closed, by source. */
  circuits(): Promise<ReadonlyMap<string, NonNullable<SourceView['circuit']>>>;
  /** What is known of a source's robots.txt at an origin, and what it says to an URL; nobody is asked. */
  robotsTxt(source: Source, url: string): RobotsView;
  robotsVerdict(source: Source, url: string): RobotsVerdictView;
  /** Missing while no actor keeps the source's session. */
  sessionOf(source: string): SourceView['session'];
  /** Lets log-ins be tried again; whether there was an actor to do so. */
  resetSession(source: string): Promise<boolean>;
  /** Who asks where a source says nothing else, and whether nothing but loopback may be asked. */
  readonly bot: { readonly userAgent: string; readonly onlyLoopback: boolean };
  pulseStatus(source: string): Promise<PulseStatus | undefined>;
  tree(): readonly LifeView[];
  settings(): Settings;
  saveSettings(settings: Settings): Promise<void>;
  progress(): Promise<{ readonly ready: boolean; readonly remaining: number }>;
  /** Scrapes that ended since the daemon started. */
  ended(): { readonly complete: number; readonly failed: number; readonly cancelled: number };
  /** Why scraping is paused, while it is. */
  paused(): string | undefined;
  /** When it is next tried whether that is over, wall time. */
  pausedUntil(): number | undefined;
  /** Begins an orderly stop. */
  shutdown(): void;
  readonly daemon: {
    readonly pid: number;
    readonly version: string;
    readonly data: string;
    readonly socket: string;
    readonly startedAt: number;
  };
}

/** How a source's pulse fares. */
export interface PulseStatus {
  readonly everyMs: number;
  readonly nextAt: number;
  readonly last?: { readonly endedAt: number; readonly failure?: string };
}
