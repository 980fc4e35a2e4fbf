import type * as z from 'zod';
import { auditMethods } from './methods/audit.ts';
import { crawlMethods } from './methods/crawl.ts';
import { daemonMethods } from './methods/daemon.ts';
import type { Event } from '../event/catalogue.ts';
import { eventMethods } from './methods/event.ts';
import { exportMethods } from './methods/export.ts';
import { fileMethods } from './methods/file.ts';
import { heldMethods } from './methods/held.ts';
import { hostMethods } from './methods/host.ts';
import { loginMethods } from './methods/login.ts';
import { metricMethods } from './methods/metric.ts';
import { objectiveMethods } from './methods/objective.ts';
import { projectMethods } from './methods/project.ts';
import { reextractionMethods } from './methods/reextraction.ts';
import { recordMethods } from './methods/record.ts';
import { ruleMethods } from './methods/rule.ts';
import { scheduleMethods } from './methods/schedule.ts';
import { scrapeMethods } from './methods/scrape.ts';
import { stepMethods } from './methods/step.ts';
import { sinkMethods } from './methods/sink.ts';
import { sourceMethods } from './methods/source.ts';
import { targetMethods } from './methods/target.ts';
import { ticketMethods } from './methods/ticket.ts';
import { tokenMethods } from './methods/token.ts';
import { typeMethods } from './methods/type.ts';
import { pipelineMethods } from './methods/pipeline.ts';
import { pageMethods } from './methods/page.ts';
import { vaultMethods } from './methods/vault.ts';
import { viewMethods } from './methods/view.ts';
import { viewingMethods } from './methods/viewing.ts';
import { workerMethods } from './methods/worker.ts';
import { wasteMethods } from './methods/waste.ts';

/** The table of all control methods, from which the control socket and `docs/control.md` are made. */
export const methods = {
  ...projectMethods,
  ...viewMethods,
  ...viewingMethods,
  ...workerMethods,
  ...targetMethods,
  ...sourceMethods,
  ...recordMethods,
  ...heldMethods,
  ...ticketMethods,
  ...fileMethods,
  ...metricMethods,
  ...ruleMethods,
  ...typeMethods,
  ...hostMethods,
  ...scrapeMethods,
  ...stepMethods,
  ...crawlMethods,
  ...scheduleMethods,
  ...objectiveMethods,
  ...wasteMethods,
  ...pageMethods,
  ...vaultMethods,
  ...reextractionMethods,
  ...eventMethods,
  ...exportMethods,
  ...sinkMethods,
  ...pipelineMethods,
  ...tokenMethods,
  ...loginMethods,
  ...auditMethods,
  ...daemonMethods,
} as const;

/** The name of a control method. */
export type Method = keyof typeof methods;

/** Whether a text is the name of a control method. */
export function isMethod(text: string): text is Method {
  return Object.hasOwn(methods, text);
}

/** The parameters of a method as a caller writes them: what has a default may be left out. */
export type MethodInput<M extends Method> = z.input<(typeof methods)[M]['params']>;

/** The parameters of a method as its handler gets them: validated, with defaults. */
export type Params<M extends Method> = z.output<(typeof methods)[M]['params']>;

/** The result of a method, as its handler returns it and its caller gets it. */
export type Result<M extends Method> = z.output<(typeof methods)[M]['result']>;

/** The circumstances of a call, which its handler gets besides the parameters. */
export interface HandlerContext {
  /** Fires when the caller has hung up or its subscription is over. */
  readonly signal: AbortSignal;
  /** The caller sees only projects that have one of these labels. Missing for one that sees all. */
  readonly labels?: readonly string[];
  /** Whose saved views and viewed changes the caller has: the id of its token. Missing for the owner of the daemon, who comes by the control socket or by a one-time code. */
  readonly viewer?: string;
}

/** The caller of a method that goes on with notifications. */
export interface Subscriber extends HandlerContext {
  /** Sends an event, for which the caller has waited for `room`. Returns false if the subscription is over. */
  readonly notify: (event: Event) => boolean;
  /** Ends the subscription because its next event is no longer kept. The events after `resumeAfter` are kept. */
  readonly lag: (resumeAfter: number) => void;
  /** Resolves when there is room for another event, or when the subscription is over. */
  readonly room: () => Promise<void>;
}

/**
 * The handlers of all methods; leaving one out does not compile. A handler throws a `ControlError` where it cannot
 * serve a request.
 */
export type Handlers = {
  readonly [M in Method]: (params: Params<M>, context: ContextOf<M>) => Result<M> | Promise<Result<M>>;
};

type ContextOf<M extends Method> = (typeof methods)[M] extends { readonly notifies: 'events' }
  ? Subscriber
  : HandlerContext;
