import * as z from 'zod';
import { defined } from '../../defined.ts';
import { Interval, IntervalMs } from '../../schema/duration.ts';
import { writtenText } from '../../time-text.ts';
import { expected, got } from '../../schema/expected.ts';
import { FieldName } from '../../schema/slug.ts';
import { strict } from '../../schema/strict.ts';
import type { Objective } from './objective.ts';
import { seasonFault, seasonOf, seasonShape } from './season.ts';

const ages = {
  /** Older than this is told as a warning; it sets the pace when it is given. */
  warnAfter: Interval.exactOptional(),
  /** Older than this breaks the objective. */
  errorAfter: Interval.exactOptional(),
};

const agesInput = {
  warnAfterMs: IntervalMs.describe(
    'What is known and older than this is told as a warning; it sets the pace when it is given.',
  ).exactOptional(),
  errorAfterMs: IntervalMs.describe('What is known and older than this breaks the objective.').exactOptional(),
};

/** How old what is known may become, as a file gives it, counted from the last verified observation; at least one of the two ages. */
export const Ages = strict(ages).superRefine(checkAges('warnAfter', 'errorAfter'));
export type Ages = z.infer<typeof Ages>;

/** How old what is known may become, as a control method gives it; at least one of the two ages. */
export const AgesInput = z.strictObject(agesInput).superRefine(checkAges('warnAfterMs', 'errorAfterMs'));

const ObjectiveSet = strict({
  ...ages,
  /** Ages of fields by their names, in whichever record they are. */
  fields: fieldsOf(Ages).exactOptional(),
  ...seasonShape,
})
  .superRefine(checkAges('warnAfter', 'errorAfter', 'fields'))
  .superRefine(checkSeason);

/** Objectives that hold always, or between two days: ages of the whole target, and of single fields where they differ. */
export type ObjectiveSet = z.infer<typeof ObjectiveSet>;

/** The objectives of a target, as a file gives them; a list where some hold between two days only. */
export const Objectives = z.union([ObjectiveSet, z.array(ObjectiveSet).min(1).max(50).readonly()]);
export type Objectives = z.infer<typeof Objectives>;

const ObjectiveSetInput = z
  .strictObject({
    ...agesInput,
    fields: fieldsOf(AgesInput)
      .describe('Ages of single fields by their names, in whichever record they are.')
      .exactOptional(),
    ...seasonShape,
  })
  .superRefine(checkAges('warnAfterMs', 'errorAfterMs', 'fields'))
  .superRefine(checkSeason);

/** The objectives of a target, as a control method gives them; a list where some hold between two days only. */
export const ObjectivesInput = z.union([ObjectiveSetInput, z.array(ObjectiveSetInput).min(1).max(50).readonly()]);

/** A control method's ages as a file would give them. */
export function agesFromInput({ warnAfterMs, errorAfterMs }: Objective): Ages {
  return defined({ warnAfter: warnAfterMs, errorAfter: errorAfterMs });
}

/** A control method's objectives as a file would give them. */
export function objectivesFromInput(given: z.infer<typeof ObjectivesInput>): Objectives {
  return isList(given) ? given.map(setFromInput) : setFromInput(given);
}

/** The sets of objectives that a level gives. */
export function objectiveSets(given: Objectives): readonly ObjectiveSet[] {
  return isList(given) ? given : [given];
}

function isList<T extends object>(given: T | readonly T[]): given is readonly T[] {
  return Array.isArray(given);
}

function setFromInput({ fields, ...whole }: z.infer<typeof ObjectiveSetInput>): ObjectiveSet {
  return {
    ...agesFromInput(whole),
    ...seasonOf(whole),
    ...defined({
      fields: fields && Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, agesFromInput(each)])),
    }),
  };
}

/** A file's ages in milliseconds, or `undefined` where it gives none. */
export function objectiveOf({ warnAfter, errorAfter }: Ages): Objective | undefined {
  if (warnAfter === undefined && errorAfter === undefined) return undefined;
  return {
    ...defined({ warnAfterMs: warnAfter, errorAfterMs: errorAfter }),
  };
}

/** Refuses a season without its begin or its end, for `superRefine`. */
function checkSeason(given: Parameters<typeof seasonFault>[0], context: z.core.$RefinementCtx): void {
  const message = seasonFault(given);
  if (message !== undefined) context.addIssue({ code: 'custom', message, input: given });
}

function fieldsOf<S extends z.ZodType>(schema: S) {
  return z.record(FieldName, schema).refine((fields) => Object.keys(fields).length > 0, expected('at least one field'));
}

/**
 * Refuses ages of which the warning comes too late, and a mapping that says nothing at all, for `superRefine`. Files and control
 * methods have other names for the ages.
 *
 * @param others - what may be given in place of ages.
 */
function checkAges(warn: string, error: string, ...others: readonly string[]) {
  return (given: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx): void => {
    const { [warn]: warnAfter, [error]: errorAfter } = given;
    const names = [warn, error, ...others];
    // A misspelt key says something.
    if (context.issues.length === 0 && names.every((name) => given[name] === undefined))
      refuse(got(given, `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`));
    // What is no duration is told of at its own place.
    if (typeof warnAfter === 'number' && typeof errorAfter === 'number' && warnAfter >= errorAfter)
      refuse(
        `expected a ${warn} that is shorter than ${error}, got ${writtenText(warnAfter)} and ${writtenText(errorAfter)}`,
      );

    function refuse(message: string): void {
      context.addIssue({ code: 'custom', message, input: given });
    }
  };
}
