import type { Symptom } from '../view/symptom.ts';
import type { Scope } from './measures.ts';
import { emptyType, type RunTally } from './tally.ts';

/** What the records of a run have in a field; what is not known is missing. */
export interface FieldFigures {
  /** The share of records that have it, of those that had it and lost it, and of values that are empty. */
  readonly fill?: number;
  readonly lost?: number;
  readonly empty?: number;
  /** The least and the greatest number. */
  readonly min?: number;
  readonly max?: number;
  /** Whether no two records have the same value. */
  readonly unique?: boolean;
}

/** What a run found of a type of records; what is not known is missing. */
export interface RunFigures {
  readonly records?: number;
  readonly new?: number;
  readonly changed?: number;
  readonly missing?: number;
  readonly fields: Readonly<Record<string, FieldFigures>>;
}

/** A condition that a definition has its runs meet. */
export interface Expectation {
  /** The type of the records. */
  readonly record: string;
  /** The condition, as the definition has it. */
  readonly text: string;
  /** The fields of which it asks whether their values are unique. */
  readonly unique: readonly string[];
  /** Whether it holds, `undefined` where that is not known, the figure that it names first, and all that it names, by name. Never throws. */
  check(figures: RunFigures): {
    readonly holds: boolean | undefined;
    readonly observed: number;
    readonly figures: Readonly<Record<string, number>>;
  };
}

/** What expectations are checked by. */
export interface CheckedRun {
  readonly tally: RunTally;
  readonly scope: Scope;
  /** Fields two records of which have one value, as `record.field`; missing where nobody has looked. */
  readonly repeated?: ReadonlySet<string>;
}

/** Returns a symptom for each expectation that a run does not meet. One of figures that the run has not is met. */
export function brokenExpectations(expectations: readonly Expectation[], run: CheckedRun): Symptom[] {
  return expectations.flatMap((expectation): Symptom[] => {
    const { record, text } = expectation;
    const { holds, observed, figures } = expectation.check(runFigures(record, run));
    return holds === false ? [{ kind: 'rule', record, measure: text, observed, figures }] : [];
  });
}

/** Returns whether a run has the figures that a symptom of an expectation is of; also where no expectation is so any more. */
export function isExpectationKnown(
  { record, measure }: Symptom,
  expectations: readonly Expectation[],
  run: CheckedRun,
): boolean {
  const expectation = expectations.find((each) => each.record === record && each.text === measure);
  return expectation?.check(runFigures(expectation.record, run)).holds !== undefined || expectation === undefined;
}

/** Returns what a run found of a type of records. Counts are those of a whole target alone. */
function runFigures(record: string, { tally, scope, repeated }: CheckedRun): RunFigures {
  const { records, added, changed, missing, fields } = tally.types[record] ?? emptyType;
  return {
    ...(scope === 'whole' && { records, new: added, changed, missing }),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, { total, seen, had, lost, empty, min, max }]) => [
        name,
        {
          ...(total > 0 && { fill: seen / total }),
          ...(had > 0 && { lost: lost / had }),
          ...(seen > 0 && { empty: empty / seen }),
          ...(min !== undefined && { min }),
          ...(max !== undefined && { max }),
          ...(repeated !== undefined && { unique: !repeated.has(`${record}.${name}`) }),
        },
      ]),
    ),
  };
}

/** Returns the fields two records of which have one value, as `record.field`. Records without a value have none in common. */
export function repeatedFields(
  records: Iterable<{ readonly type: string; readonly fields: Readonly<Record<string, unknown>> }>,
  expectations: readonly Expectation[],
): ReadonlySet<string> {
  const asked = new Map<string, { readonly record: string; readonly field: string; readonly values: Set<string> }>();
  for (const { record, unique } of expectations)
    for (const field of unique) asked.set(`${record}.${field}`, { record, field, values: new Set() });
  const repeated = new Set<string>();
  for (const { type, fields } of records) {
    for (const [name, { record, field, values }] of asked) {
      const value = record === type && Object.hasOwn(fields, field) ? (fields[field] ?? null) : null;
      if (value === null) continue;
      const text = JSON.stringify(value);
      if (values.has(text)) repeated.add(name);
      values.add(text);
    }
  }
  return repeated;
}
