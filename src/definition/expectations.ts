import { compileRunCheck } from '../expression/run-check.ts';
import type { Expectation } from '../health/expectation.ts';
import type { Issue } from '../schema/expected.ts';
import { endFields } from './end-rule.ts';
import { Expect } from './expect.ts';
import type { Source } from './source.ts';

const opened = new WeakMap<Source, readonly Expectation[]>();

/** Returns the conditions that a source has its runs meet; the same source has the same ones. */
export function expectationsOf(source: Source): readonly Expectation[] {
  const known = opened.get(source) ?? openExpectations(source);
  opened.set(source, known);
  return known;
}

function openExpectations(source: Source): readonly Expectation[] {
  return Object.entries(source.records).flatMap(([record, { expect = [] }]) =>
    expect.map((text) => {
      const compiled = compileRunCheck(text, endFields(source, record) ?? {});
      // The definition was checked when it was loaded.
      if (!compiled.ok) throw new Error(`${source.id}: records.${record}.expect: ${compiled.message}`);
      const { unique, check } = compiled.check;
      return { record, text, unique, check };
    }),
  );
}

/** A source, as far as it declares records; it may come from a definition that is not valid. */
interface Declaring {
  readonly records: Readonly<Record<string, { readonly expect?: unknown; readonly fields: object }>>;
}

/** Yields issues of conditions that cannot be compiled, as they name what there is not. */
export function* expectationIssues(source: Declaring & Parameters<typeof endFields>[0]): Generator<Issue> {
  for (const [record, { expect }] of Object.entries(source.records)) {
    const { data } = Expect.safeParse(expect);
    for (const [index, text] of (data ?? []).entries()) {
      const compiled = compileRunCheck(text, endFields(source, record) ?? {});
      const path = ['records', record, 'expect', ...(Array.isArray(expect) ? [index] : [])];
      if (!compiled.ok) yield { path, message: compiled.message };
    }
  }
}
