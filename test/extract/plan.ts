import { extract, type ExtractInput } from '../../src/extract/extract.ts';
import type { Extraction, ExtractOutcome } from '../../src/extract/draft.ts';
import type { ExtractPlan, FieldPlan, RecordPlan, ValueRule } from '../../src/extract/plan.ts';

let plans = 0;

/** A plan of records, under an id that no other plan of the run has. */
export function planFor(records: readonly RecordPlan[], rest: Partial<ExtractPlan> = {}): ExtractPlan {
  plans += 1;
  return { id: `test-${plans}`, tree: 'fast', records, ...rest };
}

/** A record whose key is what `.key` holds, with more fields as given. */
export function keyed(
  fields: Readonly<Record<string, Partial<FieldPlan>>>,
  rest: Partial<RecordPlan> = {},
): RecordPlan {
  const all: Readonly<Record<string, Partial<FieldPlan>>> = { key: {}, ...fields };
  return {
    type: 'thing',
    key: 'key',
    fields: Object.entries(all).map(([name, field]) => ({
      name,
      css: `.${name}`,
      required: false,
      rule: { type: 'text' } satisfies ValueRule,
      ...field,
    })),
    ...rest,
  };
}

/** The bytes of a text, in a buffer of their own. */
export function bodyOf(text: string, encoding: BufferEncoding = 'utf8'): ArrayBuffer {
  return new Uint8Array(Buffer.from(text, encoding)).buffer;
}

/** Reads a page of the given HTML. */
export function read(
  html: string | ArrayBuffer,
  plan: ExtractPlan,
  rest: Partial<ExtractInput> = {},
): Promise<ExtractOutcome> {
  return extract({
    body: typeof html === 'string' ? bodyOf(html) : html,
    url: 'http://site.test/list/page',
    contentType: 'text/html',
    plan,
    ...rest,
  });
}

/** Reads a page that must give records. */
export async function extracted(
  html: string | ArrayBuffer,
  plan: ExtractPlan,
  rest: Partial<ExtractInput> = {},
): Promise<Extraction> {
  const outcome = await read(html, plan, rest);
  if (!outcome.ok) throw new Error(`no records: ${JSON.stringify(outcome.failure)}`);
  return outcome.extraction;
}
