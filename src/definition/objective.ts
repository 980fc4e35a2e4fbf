import * as z from 'zod';
import { Interval, writtenDuration } from './duration.ts';
import { expected, got } from './expected.ts';
import { FieldName } from './slug.ts';
import { strict } from './strict.ts';

const ages = {
  /** Older than this is told as a warning; it sets the pace when it is given. */
  warnAfter: Interval.exactOptional(),
  /** Older than this breaks the promise. */
  errorAfter: Interval.exactOptional(),
};

/** How fresh something must be, measured from its last verified observation. */
export const Objective = strict(ages).superRefine(checkAges('warnAfter', 'errorAfter'));
export type Objective = z.infer<typeof Objective>;

/** The freshness that a project or a source must have, and that of single fields where it differs. */
export const Objectives = strict({
  ...ages,
  /** By name, in whichever record they are. */
  fields: fieldsOf(Objective).exactOptional(),
}).superRefine(checkAges('warnAfter', 'errorAfter', 'fields'));
export type Objectives = z.infer<typeof Objectives>;

/** Something for each of some fields, by their names. */
export function fieldsOf<S extends z.ZodType>(schema: S) {
  return z.record(FieldName, schema).refine((fields) => Object.keys(fields).length > 0, expected('at least one field'));
}

/**
 * Refuses ages of which the warning comes too late, and a mapping that says nothing at all, for `superRefine`. Files and control
 * methods have other names for the ages.
 *
 * @param others - what may be given in place of ages.
 */
export function checkAges(warn: string, error: string, ...others: readonly string[]) {
  return (given: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx): void => {
    const { [warn]: warnAfter, [error]: errorAfter } = given;
    const names = [warn, error, ...others];
    // A misspelt key says something.
    if (context.issues.length === 0 && names.every((name) => given[name] === undefined))
      refuse(got(given, `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`));
    // What is no duration is told of at its own place.
    if (typeof warnAfter === 'number' && typeof errorAfter === 'number' && warnAfter >= errorAfter)
      refuse(
        `expected a ${warn} that is shorter than ${error}, got ${writtenDuration(warnAfter)} and ${writtenDuration(errorAfter)}`,
      );

    function refuse(message: string): void {
      context.addIssue({ code: 'custom', message, input: given });
    }
  };
}
