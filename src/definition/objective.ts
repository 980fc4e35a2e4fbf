import * as z from 'zod';
import { Interval } from './duration.ts';
import { expected } from './expected.ts';
import { FieldName } from './slug.ts';
import { strict } from './strict.ts';

const ages = {
  /** Older than this is told as a warning; it sets the pace when it is given. */
  warnAfter: Interval.exactOptional(),
  /** Older than this breaks the promise. */
  errorAfter: Interval.exactOptional(),
};

/** How fresh something must be, measured from its last verified observation. */
export const Objective = strict(ages)
  .refine(hasAge, expected('warnAfter or errorAfter'))
  .refine(isInOrder, expected('a warnAfter that is shorter than errorAfter'));
export type Objective = z.infer<typeof Objective>;

/** The freshness that a project or a source must have, and that of single fields where it differs. */
export const Objectives = strict({
  ...ages,
  /** By name, in whichever record they are. */
  fields: z
    .record(FieldName, Objective)
    .refine((fields) => Object.keys(fields).length > 0, expected('at least one field'))
    .exactOptional(),
})
  .refine((given) => hasAge(given) || given.fields !== undefined, expected('warnAfter, errorAfter or fields'))
  .refine(isInOrder, expected('a warnAfter that is shorter than errorAfter'));
export type Objectives = z.infer<typeof Objectives>;

interface Ages {
  readonly warnAfter?: number;
  readonly errorAfter?: number;
}

function hasAge({ warnAfter, errorAfter }: Ages): boolean {
  return warnAfter !== undefined || errorAfter !== undefined;
}

function isInOrder({ warnAfter = 0, errorAfter = Infinity }: Ages): boolean {
  return warnAfter < errorAfter;
}
