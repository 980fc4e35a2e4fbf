import * as z from 'zod';
import { SourceId } from '../../schema/slug.ts';
import { FieldChanges, Instant, Serial } from '../../view/fields.ts';
import { ReextractionView } from '../../view/reextraction.ts';
import { OfRecordType } from './fields.ts';
import type { MethodSpec } from './method.ts';

/** One correction that a job would make. */
const Example = z.strictObject({
  type: z.string(),
  key: z.string(),
  at: Instant,
  page: z.string(),
  /** The serial of the change that it corrects. */
  corrects: Serial,
  fields: FieldChanges,
});

const OneJob = z.strictObject({ job: Serial.describe('The number of the job.') });

/** Methods on jobs that read kept pages again. */
export const reextractionMethods = {
  'reextraction.begin': {
    params: z.strictObject({
      source: SourceId.describe('The id of the source whose kept pages are read again.'),
      type: OfRecordType,
      since: Instant.describe('Only pages that came at this instant or later.').exactOptional(),
    }),
    result: ReextractionView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Begins to read the kept pages of a source again by its present definition, in the background. Nothing that is known changes before `reextraction.apply`. A conflict while another job is under way; a job of the source that was ready is cancelled.',
  },
  'reextraction.list': {
    params: z.strictObject({}),
    result: z.strictObject({ jobs: z.array(ReextractionView).readonly() }),
    role: 'read',
    scope: 'daemon',
    doc: 'Lists the jobs that read kept pages again, the newest first, 100 at most.',
  },
  'reextraction.get': {
    params: OneJob.extend({
      wait: z.boolean().default(false).describe('Answers only when no job is under way.'),
      examples: z.int().min(0).max(100).default(10).describe('The most examples of differences.'),
    }),
    result: ReextractionView.extend({ examples: z.array(Example).readonly() }),
    role: 'read',
    scope: 'daemon',
    doc: 'Shows a job, with examples of what it would correct while it is `ready`.',
  },
  'reextraction.apply': {
    params: OneJob,
    result: ReextractionView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Applies a job that is `ready`: adds its corrections to the history, and changes the present values that go back to its pages. Tells one event, `reextraction.applied`. A daemon that is killed meanwhile goes on with it.',
  },
  'reextraction.cancel': {
    params: OneJob,
    result: ReextractionView,
    role: 'operate',
    scope: 'daemon',
    doc: 'Cancels a job that is not being applied.',
  },
} as const satisfies Record<string, MethodSpec>;
