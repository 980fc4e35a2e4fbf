import { isTag, type Element } from 'domhandler';
import { compilePlan, type CompiledRecord } from '../extract/compile.ts';
import type { RecordDraft } from '../extract/draft.ts';
import type { OpenedBody } from '../extract/body.ts';
import { openDocument } from '../extract/body.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import { readRecords, RecordTyper, spotsOf } from '../extract/record.ts';
import { JsonSpot, type PageContext, type Spot } from '../extract/rule/spot.ts';
import { defined } from '../defined.ts';
import type { RepairPage } from '../view/repair.ts';

/** A page whose tree is built. */
export interface OpenedPage {
  readonly url: string;
  readonly root: Spot;
  readonly context: PageContext;
}

/** A place of a page that is read as one record: its key, where it is one, and what it says. */
export interface ReadSpot {
  readonly spot: Spot;
  readonly draft: RecordDraft | undefined;
}

/** The most records of one page that are looked at. */
const mostSpots = 200;

/** Opens a page; `undefined` for one that is no document of the plan. */
export async function openPage(page: RepairPage, plan: ExtractPlan): Promise<OpenedPage | undefined> {
  const { url, body, contentType, observedAt } = page;
  const opened: OpenedBody = await openDocument(body, url, contentType, plan);
  if (!opened.ok) return undefined;
  // The search for repairs takes texts over and over, and is bounded by its own budget.
  const context = { ...opened.page, own: { url }, roomUnits: Infinity, ...defined({ observedAt }) };
  return { url, root: opened.root, context };
}

/** Reads the records of one type on a page, each with the place that it was read from. */
export function readSpots(page: OpenedPage, record: CompiledRecord): ReadSpot[] {
  if (!record.isOn(page.url)) return [];
  const typer = new RecordTyper('drop');
  const keys: (string | undefined)[] = [];
  const watch = { item: () => undefined, field: () => undefined, done: (key?: string) => void keys.push(key) };
  readRecords(page.root, record, page.context, { typer, most: mostSpots, watch });
  const drafts = new Map(typer.drafts.map((draft) => [draft.key, draft]));
  return spotsOf(page.root, record, page.context)
    .slice(0, keys.length)
    .map((spot, at) => {
      const key = keys[at];
      const draft = key === undefined ? undefined : drafts.get(key);
      // Of two places with one key, the first is the record.
      if (key !== undefined) drafts.delete(key);
      return { spot, draft };
    });
}

/** Compiles the records of a changed plan, under an id of their own. */
export function compiledRecord(plan: ExtractPlan, type: string): CompiledRecord | undefined {
  return compilePlan(plan).records.find((record) => record.plan.type === type);
}

/** Whether what rules search is an element, and no document or JSON value. */
export function isElement(spot: Spot): spot is Element {
  return !(spot instanceof JsonSpot) && isTag(spot);
}
