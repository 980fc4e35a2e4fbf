import type { ExtractOutcome, Value } from './draft.ts';
import { extract, type ExtractInput } from './extract.ts';
import type { FieldPlan } from './plan.ts';
import { placeText } from './rule/place.ts';

/** How each field of a page's records came to its value, for people; values are cut where they get long. */
export interface Explained {
  readonly outcome: ExtractOutcome;
  /** One for each place that was looked at, a record or not, in page order by type. */
  readonly items: readonly ExplainedItem[];
}

export interface ExplainedItem {
  readonly record: string;
  /** Missing where there is no record, as its key or a required field lacks. */
  readonly key?: string;
  readonly fields: readonly ExplainedField[];
}

export interface ExplainedField {
  readonly name: string;
  /** The place that gave the value; missing where none matched. `alternative` counts from 1 in order of preference, of `alternatives`. */
  readonly place?: {
    readonly by: FieldPlan['branches'][number]['place']['by'];
    readonly text: string;
    readonly attr?: string;
    readonly alternative: number;
    readonly alternatives: number;
    readonly matches: number;
  };
  /** Each filter with what it was given. */
  readonly filters: readonly { readonly filter: string; readonly before: Value }[];
  /** Missing where no place matched, and where what stands there is lost. */
  readonly value?: Value;
  /** What could not be read, and what was expected in its place; `path` leads into the value, as `.price`. */
  readonly lost: readonly { readonly path: string; readonly text: string; readonly expected: string }[];
}

/** Places that are told, at most. */
const maxItems = 100;

/** Longest text that is shown, in characters. */
const shownLength = 500;

/** Reads a page as `extract` does and tells how. */
export async function explain(input: ExtractInput): Promise<Explained> {
  const items: { readonly record: string; key?: string; readonly fields: ExplainedField[] }[] = [];
  const outcome = await extract(input, {
    item: (record) => void items.push({ record, fields: [] }),
    done: (key) => {
      const item = items.at(-1);
      if (key !== undefined && item !== undefined) item.key = key;
    },
    field: (plan, trace, { value, lost }) => {
      if (items.length > maxItems) return;
      const branch = trace.branch === undefined ? undefined : plan.branches[trace.branch];
      items.at(-1)?.fields.push({
        name: plan.name,
        ...(branch !== undefined && {
          place: {
            by: branch.place.by,
            text: placeText(branch.place),
            ...(branch.attr !== undefined && { attr: branch.attr }),
            alternative: (trace.branch ?? 0) + 1,
            alternatives: plan.branches.length,
            matches: trace.matches ?? 1,
          },
        }),
        filters: trace.steps.map(({ filter, before }) => ({ filter, before: shown(before) })),
        ...(value !== undefined && { value: shown(value) }),
        lost,
      });
    },
  });
  return { outcome, items: items.slice(0, maxItems) };
}

function shown(value: Value): Value {
  if (typeof value === 'string') return value.length > shownLength ? `${value.slice(0, shownLength - 1)}…` : value;
  return value;
}
