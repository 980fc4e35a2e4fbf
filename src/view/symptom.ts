import * as z from 'zod';

/**
 * What is unusual about a run of a source, or about worker processes.
 *
 * - `records`: how many records of a type the run read, which may be none.
 * - `missing`: the share of known records that the run did not find.
 * - `field`: the share of records that have a field, or the share of records that had the field and lost it.
 * - `values`: what the values of a field are: zeros, one value in all records, another type, length, range, currency or unit.
 * - `pages`: the share of item pages that could not be read.
 * - `errors`: the share of places that should have been records and are none.
 * - `status`: the share of requests that failed, or of a class of statuses.
 * - `loop`: a crawl was aborted as its pages repeat.
 * - `size`: the number of bytes.
 * - `duration`: the time that the run took.
 * - `changes`: how many records are new or changed.
 * - `rule`: a condition of the definition's own `expect` does not hold.
 * - `failing`: the targets of a source fail, so that its circuit is open.
 * - `late`: an objective is broken.
 * - `infeasible`: an objective cannot be kept.
 * - `workers_offline`: a worker process is silent, and has not said that it leaves.
 * - `workers_failing`: worker processes fail steps for faults of their own.
 * - `workers_waiting`: steps wait long for worker processes.
 */
export const SymptomKind = z.enum([
  'records',
  'missing',
  'field',
  'values',
  'pages',
  'errors',
  'status',
  'loop',
  'size',
  'duration',
  'changes',
  'rule',
  'failing',
  'late',
  'infeasible',
  'workers_offline',
  'workers_failing',
  'workers_waiting',
]);
export type SymptomKind = z.infer<typeof SymptomKind>;

/** What is unusual about a source, with the observed and the expected number. */
export const Symptom = z.strictObject({
  kind: SymptomKind,
  /** The type of the records; missing for a symptom of the source as a whole. */
  record: z.string().exactOptional(),
  field: z.string().exactOptional(),
  /** The worker process that it is about: the name of its machine, and its pid. */
  worker: z.string().exactOptional(),
  /** The name of the number that is unusual, as `fill`, `lost` or `zeros`; for `rule`, the text of the condition. */
  measure: z.string(),
  /** The number in this run. */
  observed: z.number(),
  /** The numbers that are usual: limits, and the median of the healthy runs. Missing where no number is. */
  expected: z
    .strictObject({
      low: z.number().exactOptional(),
      high: z.number().exactOptional(),
      median: z.number().exactOptional(),
    })
    .exactOptional(),
  /** How many records, requests or places `observed` is a share of. */
  of: z.int().exactOptional(),
  /** Of `rule`: the figures that the condition names, as `records` or `price.fill`, of which `observed` is the first; of `unique`, 0 where values repeat. */
  figures: z.record(z.string(), z.number()).exactOptional(),
});
export type Symptom = Readonly<z.infer<typeof Symptom>>;

/**
 * Returns the identity of a symptom: the same symptom in two runs has the same identity, whatever its numbers and its measure are. Each
 * condition of `expect` is a symptom of its own.
 */
export function symptomId({
  kind,
  record = '',
  field = '',
  worker = '',
  measure,
}: Pick<Symptom, 'kind' | 'record' | 'field' | 'worker' | 'measure'>): string {
  return kind === 'rule' ? `rule ${record} ${measure}` : `${kind} ${record}${worker} ${field}`.trimEnd();
}
