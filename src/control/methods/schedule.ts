import * as z from 'zod';
import { ProjectId, SourceId } from '../../schema/slug.ts';
import { cutOf, HostKey, Limit } from './fields.ts';
import { Instant, Serial } from '../../view/fields.ts';
import type { MethodSpec } from './method.ts';
import { RestingShare } from '../../view/resting.ts';
import { Infeasible } from '../../view/infeasible.ts';
import { ListedProjectInput } from './project.ts';
import { ReasonView } from './why.ts';

/** A coming turn of a target at its host. */
export const TurnView = z.strictObject({
  dueAt: Instant,
  target: Serial,
  /** The active projects that watch the target. */
  projects: z.array(z.string()).readonly(),
  source: z.string(),
  url: z.string(),
  /** The politeness key. */
  key: z.string(),
  /** The cause that decides the due time. */
  by: ReasonView.shape.by.optional(),
  /** Set if only the day is known whose tokens pay for the turn; `dueAt` is the start of that day. */
  dayOnly: z.literal(true).optional(),
});
export type TurnView = z.infer<typeof TurnView>;

/** The numbers of objectives that are kept and of those that are not. */
export const KeptView = z.strictObject({
  kept: z.int(),
  /** Objectives broken by the pace, the first scrape or the wait for the host. */
  broken: z.int(),
  /** Objectives that the hosts cannot guarantee, whether kept at present or not; see `PlanView.infeasible`. */
  infeasible: z.int(),
  /** The largest excess of an age over its objective, in ms; 0 if none is broken. */
  worstByMs: z.number(),
});

export type KeptView = z.infer<typeof KeptView>;

/** The forecast of one host, or of all hosts together. */
const forecast = {
  targets: z.int(),
  /** Requests that fall due, by day, whether or not hosts have turns for them. */
  requests: z.array(z.int()).readonly(),
  /** Of each day's requests, the number not made by its end. */
  undone: z.array(z.int()).readonly(),
  /** Of the requests, the number that pulses make. */
  pulses: z.int(),
  bytes: z.int(),
  /** The minute with the most requests. */
  peak: z.strictObject({ at: Instant, requests: z.int() }),
  objectives: KeptView,
};

/** The forecast for one host. */
export const HostPlanView = z.strictObject({
  key: z.string(),
  ...forecast,
  longestWaitMs: z.number(),
  /** Requests of the busiest day divided by the requests allowed in a day. */
  load: z.number(),
  /** The usual time from one request to the next, by all that limits it. */
  delayMs: z.number(),
});
export type HostPlanView = z.infer<typeof HostPlanView>;

/** The forecast of the coming days. */
export const PlanView = z.strictObject({
  from: Instant,
  days: z.int(),
  hosts: z.int(),
  ...forecast,
  /** Targets that are left out: their source is not loaded, or nothing sets their pace. */
  skipped: z.int(),
  /** The number of hosts on which more requests fall due in a day than the host allows. */
  overloaded: z.int(),
  /** The hosts with the highest load, the highest first; at most 20. */
  busiest: z.array(HostPlanView).readonly(),
  /** Objectives that their hosts do not allow, the first 100. */
  infeasible: z.array(Infeasible).readonly(),
  /** Objectives that do not hold at the begin, as it is not their season, the first 100; the plan counts none of them. */
  resting: z.array(RestingShare).readonly().optional(),
  /** Which of the two lists have more. */
  cut: cutOf(['infeasible', 'resting']),
});
export type PlanView = z.infer<typeof PlanView>;

/** Methods on coming turns. */
export const scheduleMethods = {
  'schedule.list': {
    params: z.strictObject({
      /** `host`: by host, and each host's by time. */
      by: z.enum(['time', 'host']).default('time'),
      source: SourceId.exactOptional(),
      project: ProjectId.exactOptional(),
      /** This host alone: its politeness key, or the origin of addresses there. */
      key: HostKey.exactOptional(),
      /** Only turns before it. */
      before: Instant.exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      turns: z.array(TurnView).readonly(),
      /** True if more turns come later. */
      more: z.boolean(),
      /** Sources with targets that are left out, as no definition of them is loaded; missing where there are none. */
      unloaded: z.array(z.string()).readonly().optional(),
      /** Why scraping is paused; missing while it is not. */
      paused: z.string().optional(),
    }),
    role: 'read',
    doc: 'Lists the coming turns, the earliest first; overdue turns come before all others.',
  },
  'schedule.plan': {
    params: z
      .strictObject({
        days: z.int().min(1).max(366).default(1),
        /** From the begin of the present day on, and within ten years. Default: now. */
        from: Instant.exactOptional(),
        /** A list that is about to be applied; projects that it does not name stay as they are. */
        projects: z.array(ListedProjectInput).max(10_000).readonly().exactOptional(),
        /** Leaves out projects that are not in the list, as applying it so would archive them. */
        prune: z.boolean().default(false),
      })
      .refine(({ projects, prune }) => !prune || projects !== undefined, {
        error: 'expected "projects" beside it',
        path: ['prune'],
      }),
    result: PlanView,
    role: 'read',
    doc: 'Forecasts the coming days: requests by host, objectives kept or not, bytes and the fullest minute; sends no request and changes nothing.',
  },
} as const satisfies Record<string, MethodSpec>;
