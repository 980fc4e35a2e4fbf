import { isDeepStrictEqual } from 'node:util';
import type { ExtractOutcome, RecordDraft, Value } from './draft.ts';
import { explain, type ExplainedItem } from './explain.ts';
import { extract, type ExtractInput } from './extract.ts';
import type { ExtractPlan } from './plan.ts';

/** What a trial of a page tells besides what was read. */
export interface Trial {
  /** How each field came to its value. */
  readonly items: readonly ExplainedItem[];
  /** Where the two trees of a page give different fields, when that is asked; 1,000 at most. */
  readonly trees?: readonly TreeDifference[];
}

export interface TreeDifference {
  readonly record: string;
  readonly key: string;
  readonly field: string;
  /** Missing where that tree gives no such record or field. */
  readonly fast?: Value;
  readonly browser?: Value;
}

export interface TrialOptions {
  /** Whether the page is read with both trees. */
  readonly trees?: boolean;
}

const maxDifferences = 1_000;

/** Reads a page as `extract` does, and tells how. */
export async function tryExtract(
  input: ExtractInput,
  { trees = false }: TrialOptions = {},
): Promise<{ readonly outcome: ExtractOutcome; readonly trial: Trial }> {
  const { outcome, items } = await explain(input);
  if (!trees) return { outcome, trial: { items } };
  return { outcome, trial: { items, trees: await treeDifferences(input, outcome) } };
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
      return [
        {
          record: type,
          key,
          field,
          ...(one !== undefined && { fast: one }),
          ...(two !== undefined && { browser: two }),
        },
      ];
    });
  });
}
