import * as z from 'zod';
import { paceFileKeys } from '../schedule/levels.ts';
import { isMapping } from '../schema/mapping.ts';
import { Auth } from './auth.ts';
import { RecordKey } from './record-key.ts';
import { bareName } from './rule.ts';

/** A field of which only the type is known; undefined where its rule says none. */
export interface FieldOutline {
  readonly type: string | undefined;
}

const text = z.string().optional().catch(undefined);
const unchecked = z.unknown().optional();
const rules = z.record(z.string(), z.unknown()).catch({});
const page = z
  .object({ url: unchecked, provider: text, fields: rules })
  .transform(withFields)
  .optional()
  .catch(undefined);

const ObjectiveFields = z.object({ fields: z.record(z.string(), z.unknown()).catch({}) });

/**
 * The parts of a source that can be read although others are wrong, so that one mistake does not hide another. Records and the pulse
 * have their rules as written, and their fields by name.
 */
export const Outline = z.object({
  provider: text,
  url: text,
  plugin: text,
  csv: unchecked,
  ignore: unchecked,
  records: z
    .record(
      z.string(),
      z
        .object({ key: RecordKey.optional().catch(undefined), each: unchecked, page, expect: unchecked, fields: rules })
        .catch({ key: undefined, each: undefined, page: undefined, fields: {} })
        .transform(withFields),
    )
    .catch({}),
  finished: z.object({ record: text, when: text, zone: text }).optional().catch(undefined),
  pulse: z
    .object({ provider: text, url: text, record: text, each: unchecked, batch: unchecked, fields: rules })
    .transform(withFields)
    .optional()
    .catch(undefined),
  collect: z
    .object({
      since: z
        .object({ record: text, fields: z.array(z.string()).catch([]) })
        .catch({ record: undefined, fields: [] })
        .optional(),
      start: unchecked,
    })
    .optional()
    .catch(undefined),
  objectives: z
    .union([ObjectiveFields, z.array(ObjectiveFields.catch({ fields: {} }))])
    .optional()
    .catch(undefined),
  feed: z.object({ by: text, url: text, in: text, param: text, size: unchecked }).optional().catch(undefined),
  crawl: unchecked,
  request: z.object({ form: unchecked }).optional().catch(undefined),
  render: unchecked,
  auth: Auth.optional().catch(undefined),
  ...Object.fromEntries(paceFileKeys.map((key) => [key, unchecked])),
});
export type Outline = z.infer<typeof Outline>;

function withFields<T extends { readonly fields: Readonly<Record<string, unknown>> }>({ fields, ...rest }: T) {
  const named = Object.entries(fields).map(([key, rule]) => [bareName(key), { type: typeOf(key, rule) }] as const);
  return { ...rest, rules: fields, fields: Object.fromEntries<FieldOutline>(named) };
}

/** The type of a field: that of its rule, but `array` where the key ends in `[]`. */
function typeOf(key: string, rule: unknown): string | undefined {
  if (key.endsWith('[]')) return 'array';
  if (!isMapping(rule)) return undefined;
  const { type, fields } = rule;
  return typeof type === 'string' ? type : fields === undefined ? undefined : 'object';
}
