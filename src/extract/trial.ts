import type { ExplainedField, ExplainedItem, ExplainedRule, TreeDifference } from '../view/trial.ts';
import { defined } from '../defined.ts';
import type { ExtractFailure, ExtractOutcome, RecordDraft } from './draft.ts';
import type { Value } from './value/value.ts';
import { extract, type ExtractInput } from './extract.ts';
import type { ExtractPlan } from './plan.ts';
import type { RulePlan } from './rule/plan.ts';
import type { Evaluated, Trace } from './rule/evaluate.ts';
import type { FieldWatch } from './record.ts';
import { fromText } from './rule/from.ts';
import { placeText } from './rule/place.ts';
import { isDeepStrictEqual } from 'node:util';

/** Explains to people how each field of a page came to its value. */
export interface Trial {
  /** One for each match that was read, whether it is a record or not, in page order by type; 100 at most. */
  readonly items: readonly ExplainedItem[];
  /** How the page came to what leads to the next page of its list; missing where its plan asks for none. */
  readonly next?: ExplainedRule;
  /** Fields that the two trees of a page give differently; missing unless asked for, 1,000 at most. */
  readonly trees?: readonly TreeDifference[];
}

/** How a page was read, and how its fields came to their values. */
interface Tried {
  readonly outcome: ExtractOutcome;
  readonly trial: Trial;
}

/** What a trial tells besides how fields came to their values. */
export interface TrialOptions {
  /** Whether the page is read with both trees. */
  readonly trees?: boolean;
  /** Plans of pages that items lead to. A page that gives no record by its own plan is read by the first of them that gives one. */
  readonly orAs?: readonly ExtractPlan[];
}

const maxDifferences = 1_000;

/** Items that are explained, at most. */
const maxItems = 100;

/** Longest text that is shown, in characters. */
const shownLength = 500;

/** Reads a page as `extract` does, and explains how each field of the first 100 items came to its value. Rejects as `extract` does. */
export async function tryExtract(input: ExtractInput, { trees = false, orAs = [] }: TrialOptions = {}): Promise<Tried> {
  const own = await tryAlone(input, trees);
  for (const plan of own.outcome.ok || !orAs.length || !isOfOthers.has(own.outcome.failure.code) ? [] : orAs) {
    const other = await tryAlone({ ...input, plan }, trees);
    if (other.outcome.ok && other.outcome.extraction.drafts.length > 0) return other;
  }
  return own;
}

/** The failures of a page that is none of a list, but perhaps one of an item. */
const isOfOthers: ReadonlySet<ExtractFailure['code']> = new Set(['no_record', 'wrong_type', 'not_html', 'unparseable']);

async function tryAlone(input: ExtractInput, trees: boolean): Promise<Tried> {
  let next: ExplainedRule | undefined;
  const items: { readonly record: string; key?: string; readonly fields: ExplainedField[] }[] = [];
  const watch: FieldWatch = {
    item: (record) => void items.push({ record, fields: [] }),
    done: (key) => {
      const item = items.at(-1);
      if (key !== undefined && item !== undefined) item.key = key;
    },
    field: (...read) => {
      if (items.length <= maxItems) items.at(-1)?.fields.push({ name: read[0].name, ...explained(...read) });
    },
    next: (...read) => void (next = explained(...read)),
  };
  const outcome = await extract(input, { watch });
  const trial = { items: items.slice(0, maxItems), ...defined({ next }) };
  return { outcome, trial: trees ? { ...trial, trees: await treeDifferences(input, outcome) } : trial };
}

function explained(plan: RulePlan, trace: Trace, { value, lost }: Evaluated): ExplainedRule {
  const branch = trace.branch === undefined ? undefined : plan.branches[trace.branch];
  const place = branch && {
    by: branch.place.by,
    text: placeText(branch.place),
    ...defined({ from: branch.from?.map(fromText).join(' › '), attr: branch.attr }),
    alternative: plan.branches.indexOf(branch) + 1,
    alternatives: plan.branches.length,
    matches: trace.matches ?? 1,
  };
  const filters = trace.steps.map(({ filter, before }) => ({ filter, before: shown(before) }));
  const shownValue = value === undefined ? undefined : shown(value);
  return { ...defined({ place, value: shownValue }), filters, lost };
}

/** A value, cut if it is a long text. */
function shown(value: Value): Value {
  if (typeof value === 'string') return value.length > shownLength ? `${value.slice(0, shownLength - 1)}…` : value;
  return value;
}

async function treeDifferences(input: ExtractInput, outcome: ExtractOutcome): Promise<TreeDifference[]> {
  const { plan } = input;
  if (plan.document !== 'html') return [];
  const other: ExtractPlan['tree'] = plan.tree === 'fast' ? 'browser' : 'fast';
  const drafts = {
    [plan.tree]: draftsOf(outcome),
    [other]: draftsOf(await extract({ ...input, plan: { ...plan, id: `${plan.id}/${other}`, tree: other } })),
  };
  return differences(drafts['fast'] ?? [], drafts['browser'] ?? []).slice(0, maxDifferences);
}

function draftsOf(outcome: ExtractOutcome): readonly RecordDraft[] {
  return outcome.ok ? outcome.extraction.drafts : [];
}

function differences(fast: readonly RecordDraft[], browser: readonly RecordDraft[]): TreeDifference[] {
  const nameOf = ({ type, key }: RecordDraft): string => JSON.stringify([type, key]);
  const [ofFast, ofBrowser] = [fast, browser].map((drafts) => new Map(drafts.map((draft) => [nameOf(draft), draft])));
  const all = new Map([...fast, ...browser].map((draft) => [nameOf(draft), draft]));
  return [...all].flatMap(([name, { type, key }]) => {
    const a = ofFast?.get(name)?.fields ?? {};
    const b = ofBrowser?.get(name)?.fields ?? {};
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((field): TreeDifference[] => {
      const [one, two] = [a[field], b[field]];
      if (isDeepStrictEqual(one, two)) return [];
      return [{ record: type, key, field, ...defined({ fast: one, browser: two }) }];
    });
  });
}
