import * as z from 'zod';
import { ProjectId, SourceId } from '../../definition/slug.ts';
import { Instant, Limit, Serial } from '../fields.ts';
import type { MethodSpec } from '../method.ts';
import { InfeasibleView } from './objective.ts';
import { ListedProjectInput } from './project.ts';
import { ReasonView } from './why.ts';

/** A turn that is to come. */
export const TurnView = z.strictObject({
  dueAt: Instant,
  target: Serial,
  project: z.string(),
  source: z.string(),
  url: z.string(),
  /** The ledger that it asks. */
  key: z.string(),
  /** What decides when that is. */
  by: ReasonView.shape.by.optional(),
  /** Set where no more is known than the day, which begins at `dueAt` and pays for it with tokens. */
  dayOnly: z.literal(true).optional(),
});
export type TurnView = z.infer<typeof TurnView>;

/** How many objectives are kept. */
export const KeptView = z.strictObject({
  kept: z.int(),
  /** Those whose turns come too late, as their pace, their first scrape or what waits for their host has it. */
  broken: z.int(),
  /** Those that their hosts do not allow to be promised, kept for now or not: `infeasible` of the plan says which could be. */
  infeasible: z.int(),
  /** By how much the age of the worst of those that are broken goes beyond its objective; 0 where none is. */
  worstByMs: z.number(),
});

export type KeptView = z.infer<typeof KeptView>;

const PeakView = z.strictObject({ at: Instant, requests: z.int() });

/** What is to come for one host. */
export const HostPlanView = z.strictObject({
  key: z.string(),
  targets: z.int(),
  /** Those that fall due, by day, whether the host has turns for them or not. */
  requests: z.array(z.int()).readonly(),
  /** Of those of each day, how many are not made by its end, as the host has no turns left: they come late or not at all. */
  undone: z.array(z.int()).readonly(),
  /** Of all requests, those of pulses. */
  pulses: z.int(),
  bytes: z.int(),
  /** The minute in which most are made. */
  peak: PeakView,
  longestWaitMs: z.number(),
  /** The part of what it allows that its busiest day takes; above 1, it is asked for more than it allows. */
  load: z.number(),
  /** The usual time from one request to the next, by all that limits it. */
  delayMs: z.number(),
  objectives: KeptView,
});
export type HostPlanView = z.infer<typeof HostPlanView>;

/** What the coming days will be. */
export const PlanView = z.strictObject({
  from: Instant,
  days: z.int(),
  hosts: z.int(),
  targets: z.int(),
  /** Targets that are left out: their source is not loaded, or nothing sets their pace. */
  skipped: z.int(),
  /** Those that fall due, by day, whether their hosts have turns for them or not. */
  requests: z.array(z.int()).readonly(),
  /** Of those of each day, how many are not made by its end, as their hosts have no turns left. */
  undone: z.array(z.int()).readonly(),
  /** Hosts that are asked for more in a day than they allow. */
  overloaded: z.int(),
  /** Of all requests, those of pulses. */
  pulses: z.int(),
  bytes: z.int(),
  peak: PeakView,
  objectives: KeptView,
  /** Those with the highest load, the highest first; 20 at most. */
  busiest: z.array(HostPlanView).readonly(),
  infeasible: z.array(InfeasibleView).readonly(),
});
export type PlanView = z.infer<typeof PlanView>;

/** Methods on what is to come. */
export const scheduleMethods = {
  'schedule.list': {
    params: z.strictObject({
      /** `host`: by host, and each host's by time. */
      by: z.enum(['time', 'host']).default('time'),
      source: SourceId.exactOptional(),
      project: ProjectId.exactOptional(),
      /** This host alone: its politeness key, or the origin of addresses there. */
      key: z.string().max(2_083).exactOptional(),
      /** Only turns before it. */
      before: Instant.exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({
      turns: z.array(TurnView).readonly(),
      /** Whether there are more that come later. */
      more: z.boolean(),
      /** Sources with targets that are left out, as no definition of them is loaded; missing where there are none. */
      unloaded: z.array(z.string()).readonly().optional(),
      /** Why nothing at all is scraped, while that is so. */
      paused: z.string().optional(),
    }),
    role: 'read',
    doc: 'Lists the turns that are to come, the earliest first; what is overdue comes first of all.',
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
    doc: 'Forecasts the coming days: requests by host, objectives kept or not, bytes and the fullest minute; asks nobody and changes nothing.',
  },
} as const satisfies Record<string, MethodSpec>;
