import * as z from 'zod';
import { expected } from '../schema/expected.ts';
import { FieldName, SourceId } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';

/** The name of a metric or a rule, as expressions have it. */
const Name = z
  .string()
  .regex(/^[A-Za-z_]\w{0,63}$/, expected('a name of letters, digits and "_"'))
  .refine((name) => name !== 'now', expected('another name than "now"'));

/** The code of a currency. */
const Currency = z.string().regex(/^[A-Z]{3}$/, expected('the code of a currency, such as "EUR"'));

/** Metrics of a project, at most. */
const maxMetrics = 100;

/** The records and the field from which a metric is taken. */
const Input = strict({
  of: FieldName.describe(
    "A record type of the project's sources: its own name, or that of the shared type that it is.",
  ),
  field: FieldName.describe('The field that is taken; missing only where records are counted.').exactOptional(),
  source: SourceId.describe(
    "The id of the source. Default: all sources of the project's targets that have the field.",
  ).exactOptional(),
  take: z
    .enum(['only', 'last', 'sum', 'mean', 'min', 'max', 'count'])
    .default('only')
    .describe('What is made of several records: by default there must be one. `last` is what was observed last.'),
  currency: Currency.describe(
    'Amounts are converted to this currency. Default: their own, which must be one.',
  ).exactOptional(),
  min: z.number().describe('A value below this is refused: the metric is null then.').exactOptional(),
  max: z.number().describe('A value above this is refused: the metric is null then.').exactOptional(),
}).refine(({ field, take }) => (field === undefined) === (take === 'count'), {
  path: ['field'],
  ...expected('"field", or `take: count` without one'),
});

/** A calculation with the metrics above it. */
const Calculation = z.string().trim().min(1).max(4_096);

/** The metrics of a project by name, in the order of the file. */
export const Metrics = z
  .record(Name, z.union([Calculation, Input]))
  .refine((metrics) => Object.keys(metrics).length <= maxMetrics, expected(`at most ${maxMetrics} metrics`));
export type Metrics = z.infer<typeof Metrics>;

/** The records and the field from which a metric is taken. */
export type MetricInput = z.infer<typeof Input>;

/** The `of` of rules on the metrics of their project. A record type of this name cannot have rules. */
export const ofMetrics = 'metrics';

/** Conditions on records, or on metrics, that are watched, by name. */
export const Rules = z
  .record(
    Name,
    strict({
      of: FieldName.describe("A record type of the project's sources; or `metrics`: those of the project."),
      source: SourceId.describe("The id of the source. Default: all sources of the project's targets.").exactOptional(),
      when: z
        .string()
        .trim()
        .min(1)
        .max(4_096)
        .describe(
          "A condition on the record's fields, such as `price < 10 && inStock`, or on the metrics, and on the present (`now`).",
        ),
    }),
  )
  .refine((rules) => Object.keys(rules).length <= maxMetrics, expected(`at most ${maxMetrics} rules`));
export type Rules = z.infer<typeof Rules>;
