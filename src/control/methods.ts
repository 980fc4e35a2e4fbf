import type * as z from 'zod';
import { crawlMethods } from './methods/crawl.ts';
import { daemonMethods } from './methods/daemon.ts';
import { eventMethods, type EventView } from './methods/event.ts';
import { hostMethods } from './methods/host.ts';
import { objectiveMethods } from './methods/objective.ts';
import { projectMethods } from './methods/project.ts';
import { scheduleMethods } from './methods/schedule.ts';
import { scrapeMethods } from './methods/scrape.ts';
import { settingsMethods } from './methods/settings.ts';
import { sourceMethods } from './methods/source.ts';
import { treeMethods } from './methods/tree.ts';
import { wasteMethods } from './methods/waste.ts';

/** Every control method. The socket, HTTP, the command line and the docs are made from this table. */
export const methods = {
  ...projectMethods,
  ...sourceMethods,
  ...hostMethods,
  ...scrapeMethods,
  ...crawlMethods,
  ...scheduleMethods,
  ...objectiveMethods,
  ...wasteMethods,
  ...treeMethods,
  ...eventMethods,
  ...settingsMethods,
  ...daemonMethods,
} as const;

export type Method = keyof typeof methods;

/** What a caller writes: what has a default may be left out. */
export type Asked<M extends Method> = z.input<(typeof methods)[M]['params']>;

/** What a handler is given: checked, defaults filled in. */
export type Params<M extends Method> = z.output<(typeof methods)[M]['params']>;

export type Result<M extends Method> = z.output<(typeof methods)[M]['result']>;

/** What a handler knows of its call besides the parameters. */
export interface HandlerContext {
  /** Fires when the caller has gone or its subscription is over: what still runs for it may stop. */
  readonly signal: AbortSignal;
  /**
   * Tells a subscriber one event. False when it was not taken, because the subscriber lags or has gone: then its
   * subscription is over. Throws in a method that has no notifications.
   */
  readonly notify: (event: EventView) => boolean;
  /** Ends a subscription whose next event is no longer kept; the subscriber is told the id from which on events are. */
  readonly lag: (resumeAfter: number) => void;
  /** Resolves when fewer events wait than a subscriber may have waiting, or its subscription is over: a replay waits for it. */
  readonly room: () => Promise<void>;
}

/** One handler per method; leaving one out does not compile. It throws a `ControlError` for what it cannot serve. */
export type Handlers = {
  readonly [M in Method]: (params: Params<M>, context: HandlerContext) => Result<M> | Promise<Result<M>>;
};
