import * as z from 'zod';
import { ProjectId } from '../../schema/slug.ts';
import { Instant } from '../../view/fields.ts';
import type { MethodSpec } from './method.ts';

/** A rule of a project, and the records or metrics that meet it. */
export const RuleView = z.strictObject({
  name: z.string(),
  /** The condition. */
  when: z.string(),
  /** The number of records that meet it, up to 100,000. */
  records: z.int(),
  /** The first of these records, up to 20, in the order in which they were first seen. */
  met: z.array(z.strictObject({ source: z.string(), type: z.string(), key: z.string(), since: Instant })).readonly(),
  /** Set where the rule is on the metrics of the project and they meet it: since when. */
  metricsSince: Instant.exactOptional(),
});
export type RuleView = z.infer<typeof RuleView>;

/** Methods on rules. */
export const ruleMethods = {
  'rule.list': {
    params: z.strictObject({ project: ProjectId }),
    result: z.strictObject({ rules: z.array(RuleView).readonly() }),
    role: 'read',
    scope: { project: 'project' },
    doc: 'Lists the rules of a project, and the records or metrics that meet each.',
  },
} as const satisfies Record<string, MethodSpec>;
