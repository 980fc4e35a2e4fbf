import type { LifeView } from '../../actor/inspect.ts';
import type { Clock } from '../../clock.ts';
import type { Catalogue, CatalogueChange } from '../../definition/catalogue.ts';
import type { TriedStep } from '../../scrape/try.ts';
import type { Store } from '../../store/store.ts';
import type { Settings } from '../methods/settings.ts';

/** What the handlers need of the daemon. */
export interface HandlerDeps {
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
  tryPage(source: string, url: string, signal: AbortSignal): Promise<readonly TriedStep[]>;
  pulseStatus(source: string): Promise<PulseStatus | undefined>;
  tree(): readonly LifeView[];
  settings(): Settings;
  saveSettings(settings: Settings): Promise<void>;
  progress(): Promise<{ readonly ready: boolean; readonly remaining: number }>;
  /** Scrapes that ended since the daemon started. */
  ended(): { readonly complete: number; readonly failed: number; readonly cancelled: number };
  /** Why scraping is paused, while it is. */
  paused(): string | undefined;
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
