import * as z from 'zod';
import { ProjectId } from '../../schema/slug.ts';
import { Serial } from '../../view/fields.ts';
import type { MethodSpec } from './method.ts';

/** Methods on what a viewer has viewed of the changes of projects. Viewers are those of `view.list`. */
export const viewingMethods = {
  'viewing.get': {
    params: z.strictObject({ id: ProjectId }),
    result: z.strictObject({
      /** The last event up to which the caller has viewed the changes; missing where it has viewed none. */
      upTo: Serial.optional(),
      /** Whether there is a later change; missing for some seconds after a start, while a long event log is read. */
      unviewed: z.boolean().optional(),
    }),
    role: 'read',
    scope: { project: 'id' },
    doc: "Shows whether the caller has viewed the newest change of a project's records. Changes that the event log keeps no more count as viewed.",
  },
  'viewing.add': {
    params: z
      .strictObject({
        ids: z
          .array(ProjectId)
          .min(1)
          .max(1_000)
          .readonly()
          .describe('The ids of the projects; those that the caller does not see are left out.')
          .exactOptional(),
        query: z
          .string()
          .max(500)
          .describe('In place of `ids`: all projects that this query of `project.search` finds.')
          .exactOptional(),
        upTo: z
          .int()
          .nonnegative()
          .describe('The id of the last event that counts as viewed. Default: the newest event.')
          .exactOptional(),
      })
      .refine(({ ids, query }) => (ids === undefined) !== (query === undefined), {
        error: 'expected one of "ids" and "query"',
      }),
    result: z.strictObject({
      /** How many of the projects had changes that the caller had not viewed. */
      projects: z.int(),
    }),
    role: 'read',
    scope: 'filtered',
    doc: 'Notes that the caller has viewed the changes of some projects, so that `changes:unviewed` of `project.search` finds them once they change again.',
  },
} as const satisfies Record<string, MethodSpec>;
