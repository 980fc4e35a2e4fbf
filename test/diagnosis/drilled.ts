import { Source } from '../../src/definition/source.ts';
import type { PageRead } from '../../src/diagnosis/page.ts';
import type { DrillPage, Subject } from '../../src/drill/mutation.ts';
import { subjectOf } from '../../src/drill/subject.ts';
import type { ExtractPlan } from '../../src/extract/plan.ts';
import { tryExtract } from '../../src/extract/trial.ts';
import { planOf } from '../../src/provider/plans.ts';
import type { Symptom } from '../../src/view/symptom.ts';

/** A page and a definition that reads it. */
export interface Drilled {
  readonly plan: ExtractPlan;
  readonly subject: Subject;
}

/** Opens a page for drills of a definition. */
export function drilled(page: DrillPage, records: unknown): Drilled {
  const plan = planOf(Source.parse({ id: 'shop', url: page.url, records }));
  const subject = subjectOf(page, plan);
  if (subject === undefined) throw new Error('the definition names no selector');
  return { plan, subject };
}

/** Reads a page as a scrape does, and explains it. */
export async function readPage({ url, status, html }: DrillPage, plan: ExtractPlan): Promise<PageRead> {
  const body = new Uint8Array(Buffer.from(html, 'utf8')).buffer;
  const contentType = 'text/html; charset=utf-8';
  const { outcome, trial } = await tryExtract({ body, url, contentType, plan });
  const drafts = outcome.ok ? outcome.extraction.drafts : [];
  return { url, status, contentType, source: html, items: trial.items, drafts };
}

/** What a judge would find wrong at least: fields that records lost, records that are gone, values that are others everywhere. */
export function symptomsBetween(good: PageRead, bad: PageRead): Symptom[] {
  const now = new Map(bad.drafts.map((draft) => [draft.key, draft]));
  const known = good.drafts.filter(({ key }) => now.has(key));
  const record = good.drafts[0]?.type ?? '';
  const symptoms: Symptom[] = [];
  if (known.length < good.drafts.length)
    symptoms.push({ kind: 'records', record, measure: 'records', observed: bad.drafts.length });
  for (const field of new Set(good.drafts.flatMap(({ fields }) => Object.keys(fields)))) {
    const lost = known.filter(({ key, fields }) => field in fields && !(field in (now.get(key)?.fields ?? {})));
    if (lost.length > 0)
      symptoms.push({ kind: 'field', record, field, measure: 'lost', observed: lost.length / known.length });
    const other = known.filter(
      ({ key, fields }) => JSON.stringify(now.get(key)?.fields[field]) !== JSON.stringify(fields[field]),
    );
    if (lost.length === 0 && 2 * other.length > known.length)
      symptoms.push({ kind: 'values', record, field, measure: 'changed', observed: other.length / known.length });
  }
  return symptoms;
}
