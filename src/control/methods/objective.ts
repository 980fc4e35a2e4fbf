import * as z from 'zod';
import { Infeasible } from '../../view/infeasible.ts';
import { Instant, Serial } from '../../view/fields.ts';
import { RestingShare } from '../../view/resting.ts';
import { FreshnessView } from '../../schedule/freshness-census.ts';
import { cutOf, OfProject, OfSource } from './fields.ts';
import type { MethodSpec } from './method.ts';

/** A record by its type and key. */
export const RecordName = z.strictObject({ type: z.string(), key: z.string() });

/** The deadline of a target, a record or a field that must be verified again soon, or is late. */
export const DeadlineView = z.strictObject({
  target: Serial,
  /** The active projects that watch the target. */
  projects: z.array(z.string()).readonly(),
  source: z.string(),
  /** Set where the objective holds for each record of the target. */
  record: RecordName.optional(),
  field: z.string().optional(),
  objectiveMs: z.number(),
  ageMs: z.number(),
  deadlineAt: Instant,
});
export type DeadlineView = z.infer<typeof DeadlineView>;

/** Methods on objectives of freshness. */
export const objectiveMethods = {
  'objective.report': {
    params: z.strictObject({ source: OfSource, project: OfProject }),
    result: z.strictObject({
      at: Instant,
      all: FreshnessView,
      sources: z.array(FreshnessView.extend({ source: z.string() })).readonly(),
      /** The nearest deadlines, those that are over first; 20 at most. */
      next: z.array(DeadlineView).readonly(),
      infeasible: z.array(Infeasible).readonly(),
      /** Objectives that do not hold now, as it is not their season, the first 100; missing where there are none. */
      resting: z.array(RestingShare).readonly().optional(),
      /** Whether there are more of them. */
      cut: cutOf(['resting']),
    }),
    role: 'read',
    scope: { project: 'project' },
    doc: 'Reports the freshness of everything with an objective, which of lists and crawls are their records: ages, the part within its objective, breaches and the next deadlines.',
  },
} as const satisfies Record<string, MethodSpec>;
