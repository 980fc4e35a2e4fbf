import { extract, type ExtractInput } from '../../src/extract/extract.ts';
import type { Extraction, ExtractOutcome } from '../../src/extract/draft.ts';
import { Rule } from '../../src/definition/rule.ts';
import type { ExtractPlan } from '../../src/extract/plan.ts';
import type { FieldPlan, RecordPlan, RulePlan } from '../../src/extract/rule/plan.ts';
import { rulePlan } from '../../src/provider/plans.ts';

let plans = 0;

/** A plan of records, under an id that no other plan of the run has. */
export function planFor(records: readonly RecordPlan[], rest: Partial<ExtractPlan> = {}): ExtractPlan {
  plans += 1;
  return { id: `test-${plans}`, document: 'html', tree: 'fast', records, ...rest };
}

/** A rule as a definition gives it. */
export function ruleOf(rule: unknown): RulePlan {
  return rulePlan(Rule.parse(rule));
}

/** A field as a definition gives it, in any form. */
export function fieldOf(name: string, rule: unknown): FieldPlan {
  const parsed = Rule.parse(rule);
  return { name, required: parsed.required, ...rulePlan(parsed) };
}

/** A record whose key is what `.key` holds, with more fields as given; without a place of its own a field is of the class of its name. */
export function keyed(fields: Readonly<Record<string, object>>, rest: Partial<RecordPlan> = {}): RecordPlan {
  return {
    type: 'thing',
    key: ['key'],
    fields: Object.entries({ key: {}, ...fields }).map(([name, field]) =>
      fieldOf(name, hasPlace(field) ? field : { css: `.${name}`, ...field }),
    ),
    ...rest,
  };
}

function hasPlace(field: object): boolean {
  return ['css', 'xpath', 'json', 'meta', 'const', 'any'].some((key) => key in field);
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
