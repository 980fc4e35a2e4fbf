import { openDocument } from '../extract/body.ts';
import { compilePlan } from '../extract/compile.ts';
import { documentKind } from '../extract/document/all.ts';
import type { ExtractInput } from '../extract/extract.ts';
import { JsonSpot, type PageContext } from '../extract/rule/spot.ts';
import { defined } from '../defined.ts';
import { jsonPathText, type JsonPlace, valuesWithin } from '../repair/json-places.ts';
import type { DrawnPage } from '../view/drawn-page.ts';
import { TooMuchWork, WorkBudget } from '../work-budget.ts';
import { type Drawing, escaped, limited, textStart } from './drawing.ts';
import { drawTree, elementAt } from './draw-tree.ts';
import { fieldMarks } from './field-marks.ts';
import { pickElement, pickValue, type PickPage } from './pick-rules.ts';

/** The work of drawing a page, in steps of some 10 ns: some seconds. */
const drawSteps = 300_000_000;

/** The most values of a JSON document that are drawn. */
const mostValues = 5_000;

/**
 * Draws a page to choose places in, with what a plan reads from it marked, and proposes rules for the place that was chosen. A page that is no
 * document of the plan is drawn as its text. For threads. Rejects if the plan does not compile.
 */
export async function drawPage(
  { body, url, contentType, observedAt, plan }: ExtractInput,
  pick?: number,
): Promise<DrawnPage> {
  const opened = await openDocument(new Uint8Array(body.slice(0)), url, contentType, plan);
  if (!opened.ok) return { html: preformatted(opened.text ?? ''), isCut: false };
  const page: PageContext = { ...opened.page, own: { url }, ...defined({ observedAt }) };
  const compiled = compilePlan(plan);
  if (page.root !== undefined) compiled.ignore?.(page.root);
  const records = compiled.records.filter((record) => record.isOn(url));
  const isXml = documentKind(plan.document).view === 'xml';
  try {
    return new WorkBudget(drawSteps).run(() => drawn({ root: opened.root, page, records, isXml }, pick));
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return { html: preformatted(opened.text), isCut: true };
  }
}

function drawn(opened: PickPage, pick: number | undefined): DrawnPage {
  const { root, page, records, isXml } = opened;
  if (root instanceof JsonSpot) return drawnValues(root, opened, pick);
  const element = pick === undefined ? undefined : elementAt(root, pick);
  const drawing = drawTree(root, { fields: fieldMarks(records, root, page), picked: element }, isXml);
  return { ...drawing, ...(element !== undefined && { picked: pickElement(element, opened) }) };
}

function drawnValues(root: JsonSpot, opened: PickPage, pick: number | undefined): DrawnPage {
  const out = limited();
  let number = 0;
  let picked: JsonPlace | undefined;
  for (const place of valuesWithin(root.value)) {
    if (number === mostValues || out.isFull()) break;
    const { value, path } = place;
    if (typeof value !== 'object' || value === null) {
      const mark = number === pick ? ' class="picked" id="picked"' : '';
      const text = typeof value === 'string' ? value : String(value);
      out.add(
        `<div${mark}><small>${textStart(jsonPathText(path))}</small> <a href="#${number}">${textStart(text)}</a></div>`,
      );
    }
    if (number === pick) picked = place;
    number += 1;
  }
  const drawing: Drawing = { html: out.text(), isCut: number === mostValues || out.isFull() };
  return { ...drawing, ...(picked !== undefined && { picked: pickValue(picked, opened) }) };
}

function preformatted(text: string): string {
  return `<pre>${escaped(text.slice(0, 200_000))}</pre>`;
}
