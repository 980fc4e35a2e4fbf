import { defined } from '../defined.ts';
import { decodeBody } from '../extract/decode.ts';
import type { ExtractOutcome } from '../extract/draft.ts';
import type { ExtractInput } from '../extract/extract.ts';
import { tryExtract } from '../extract/trial.ts';
import type { CauseQuestion } from '../view/cause-question.ts';
import type { Cause } from '../view/ticket.ts';
import { TooMuchWork, WorkBudget } from '../work-budget.ts';
import { diagnose } from './diagnose.ts';
import type { PageRead } from './page.ts';

/** The work of comparing two pages, in steps of some 10 ns: some seconds. */
const compareSteps = 400_000_000;

/** A bad page as it was read, and the cause that it shows beside the last good one. */
export type ComparedOutcome = ExtractOutcome & { readonly cause: Cause };

/**
 * Reads a bad page and the last good one of its address, and finds why they differ. The cause is `unknown` where comparing them would take more than
 * some seconds of work. For threads. Rejects if the plan does not compile.
 *
 * @param input - the bad page.
 */
export async function comparePages(
  input: ExtractInput,
  { symptoms, asked, good: kept, records }: CauseQuestion,
): Promise<ComparedOutcome> {
  const { plan } = input;
  const { status: goodStatus, body: goodBytes, ...good } = kept;
  const goodInput = { ...good, status: goodStatus, body: new Uint8Array(goodBytes).buffer, plan };
  const { read: before } = await readPage(goodInput, goodStatus, records);
  const { read: after, outcome } = await readPage(input, input.status ?? goodStatus, records);
  return { ...outcome, cause: causeOf() };

  function causeOf(): Cause {
    try {
      return new WorkBudget(compareSteps).run(() => diagnose({ symptoms, asked, good: before, bad: after }));
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      return { kind: 'unknown', says: ['the pages take more work to compare than the limit allows'] };
    }
  }
}

async function readPage(
  input: ExtractInput,
  status: number,
  records: CauseQuestion['records'],
): Promise<{ readonly read: PageRead; readonly outcome: ExtractOutcome }> {
  const { url, body, contentType } = input;
  const source = decodeBody(new Uint8Array(body), contentType);
  const page = { url, status, source, ...defined({ contentType }) };
  if (records === 'none') {
    const outcome: ExtractOutcome = { ok: false, failure: { code: 'no_record', missing: [] } };
    return { read: { ...page, items: [], drafts: [] }, outcome };
  }
  const { outcome, trial } = await tryExtract(input);
  const found = outcome.ok ? outcome.extraction.drafts : [];
  const drafts = records === 'keyed' ? found : found.map((draft) => ({ ...draft, key: '' }));
  return { read: { ...page, items: trial.items, drafts }, outcome };
}
