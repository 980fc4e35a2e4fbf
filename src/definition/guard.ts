import * as z from 'zod';
import { expected } from '../schema/expected.ts';
import { strict } from '../schema/strict.ts';

/** How often a new value must be seen before it is current. */
const ConfirmOptions = strict({
  times: z.int().min(2).max(10),
  /** Of so many observations in a row. Default: `times`. */
  of: z.int().min(2).max(20).exactOptional(),
})
  .refine(({ times, of = times }) => of >= times, { ...expected('at least "times"'), path: ['of'] })
  .transform(({ times, of = times }) => ({ times, of }));

/** `"80%"`: by more than this part of what it was; a number: to more than so many times, or less than such a part. */
const JumpSize = z.union([
  z
    .stringFormat('jump', /^[1-9]\d{0,3}%$/, expected('a percentage like "80%", or a factor like 5'))
    .transform((text) => ({ part: Number.parseInt(text, 10) / 100 })),
  z
    .number()
    .gt(1)
    .max(1_000_000)
    .transform((factor) => ({ factor })),
]);

/** Which values of a field are held back. */
const FieldHold = strict({
  /** A step of a number or an amount that is too large to be believed. Default: every step is. */
  jump: JumpSize.exactOptional(),
  /** Whether the field may not become empty on nearly all records of a scrape at once. Default: that of the source. */
  empty: z.boolean().exactOptional(),
  /** Whether values of the field are held while a ticket says that they are unusual. Default: that of the source. */
  unusual: z.boolean().exactOptional(),
});

/** The keys of a record's field that guard its values. */
export const guardShape = { confirm: ConfirmOptions.exactOptional(), hold: FieldHold.exactOptional() };

/** What guards the values of a field. */
export interface RuleGuard {
  readonly confirm?: z.infer<typeof ConfirmOptions>;
  readonly hold?: z.infer<typeof FieldHold>;
}

/** Which values and missing records of a whole source are held back. */
export const SourceHold = strict({
  /** Whether records are held to be there of which a complete list or crawl no longer finds more than half, of ten at least. */
  missing: z.boolean().default(true),
  /** Whether a field is held that becomes zero, null or empty on nearly all records of a scrape, of five at least. */
  empty: z.boolean().default(true),
  /** Whether values of a field are held while a ticket says that they are unusual. */
  unusual: z.boolean().default(true),
});

/** The types of values that can jump. */
const jumpTypes: readonly string[] = ['integer', 'number', 'money', 'quantity'];

/** Refuses guards that do not suit the types of fields, as a check of a schema of fields by name. */
export function checkGuards(
  fields: Readonly<Record<string, RuleGuard & { readonly type: string }>>,
  context: z.core.$RefinementCtx,
): void {
  for (const [name, { type, hold }] of Object.entries(fields))
    if (hold?.jump !== undefined && !jumpTypes.includes(type))
      context.addIssue({
        code: 'custom',
        path: [name, 'hold', 'jump'],
        message: `expected it for a field of type ${jumpTypes.join(', ')} only, got one of type ${type}`,
        input: fields,
      });
}
