import { defined } from '../src/defined.ts';
import { costed, extract, type ExtractInput } from '../src/extract/extract.ts';
import type { ExtractOutcome, ThreadOutcome } from '../src/extract/draft.ts';
import type { DrawQuestion } from '../src/view/drawn-page.ts';
import type { ExtractPlan } from '../src/extract/plan.ts';
import { type LanePage, type LaneTask, maxLanePlans, noteBegin } from './extract-lane.ts';

/** The task of an extraction thread: reads the pages that arrive at its port, one after the other, until the port is closed. */
export default function serve(task: LaneTask): Promise<void> {
  return serveWith(task, read);
}

/** Reads the pages of a port by a function. An error that the function throws ends the task. */
export function serveWith(
  { port, notes }: LaneTask,
  reader: (input: ExtractInput) => Promise<ExtractOutcome>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const plans = new Map<string, ExtractPlan>();
  port.on('message', (page: LanePage) => void answer(page).catch(reject));
  port.on('close', resolve);
  return promise.finally(() => port.close());

  async function answer({ plan, keepsBody, ...page }: LanePage): Promise<void> {
    noteBegin(notes);
    const outcome = await reader({ ...page, plan: planOf(plan) });
    if (!keepsBody) return port.postMessage(outcome);
    const { body } = page;
    port.postMessage({ ...outcome, body } satisfies ThreadOutcome, [body]);
  }

  function planOf(given: LanePage['plan']): ExtractPlan {
    if (typeof given !== 'string') {
      if (plans.size >= maxLanePlans) plans.clear();
      plans.set(given.id, given);
      return given;
    }
    const plan = plans.get(given);
    if (plan === undefined) throw new Error(`a page to be read by plan ${given}, which was never sent`);
    return plan;
  }
}

function read(input: ExtractInput): Promise<ExtractOutcome> {
  return costed(() => readOf(input));
}

async function readOf(input: ExtractInput): Promise<ThreadOutcome> {
  if (input.compare !== undefined) {
    const { comparePages } = await import('../src/diagnosis/compare-pages.ts');
    return comparePages(input, input.compare);
  }
  if (input.repair !== undefined) {
    const { propose } = await import('../src/repair/propose.ts');
    return { ...(await extract(input)), repairs: await propose(input.plan, input.repair) };
  }
  if (input.draw !== undefined) return drawn(input, input.draw);
  if (input.explain === undefined) return extract(input);
  const { tryExtract } = await import('../src/extract/trial.ts');
  const { outcome, trial } = await tryExtract(input, input.explain);
  return { ...outcome, trial };
}

async function drawn(input: ExtractInput, { pick, draft }: DrawQuestion): Promise<ThreadOutcome> {
  if (draft !== undefined) {
    const { draftOf } = await import('../src/draft/draft.ts');
    const { definitionText } = await import('../src/draft/definition.ts');
    const { url, contentType } = input;
    const found = await draftOf({ body: new Uint8Array(input.body), url, ...defined({ contentType }) });
    const nothing: ThreadOutcome = { ok: false, failure: { code: 'no_record', missing: [] } };
    return { ...nothing, drawn: { html: '', isCut: false, draft: definitionText(found, { id: draft, url }) } };
  }
  const { drawPage } = await import('../src/picker/draw-page.ts');
  const { tryExtract } = await import('../src/extract/trial.ts');
  const { outcome, trial } = await tryExtract({ ...input, body: input.body.slice(0) });
  return { ...outcome, trial, drawn: await drawPage(input, pick) };
}
