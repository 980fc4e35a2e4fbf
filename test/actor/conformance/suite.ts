import { inspect } from 'node:util';
import { canonical } from './canonical.ts';
import { trace } from './run.ts';
import { type Case, readCases, type Scenario, type TraceStep } from './scenario.ts';

export type Verdict =
  | { readonly id: string; readonly verdict: 'passed' }
  | { readonly id: string; readonly verdict: 'failed' | 'skipped'; readonly reason: string };

const supported: ReadonlySet<string> = new Set([
  'actor',
  'registry',
  'time',
  'gate',
  'batch',
  'otp-defaults',
  'heronry',
]);

/** Why scenarios that need such a thing are left out. */
const unsupported: Readonly<Record<string, string>> = {
  erlang: "needs Erlang's own rules, such as a throw that is a return value",
  otp25: 'shows what newer releases of OTP do otherwise',
};

/** What of a registry is left out, and how a scenario shows that it wants it. */
const unsupportedOfRegistries: readonly (readonly [sign: RegExp, reason: string])[] = [
  [/"keys":"duplicate"/, 'duplicate keys: a key is held by one life here'],
  [/"listeners":\[[^\]]/, 'listeners: a registry here tells nobody'],
  [/"reg_dispatch"/, 'dispatch: there is at most one life under a key here'],
  [
    /"reg_match"|"reg_count_match"|"unregister_match"|"update_value"/,
    'matching: a registry here has keys but no values',
  ],
  [/"reg_kill"|"registry:/, 'partitions: a registry here is no process that could end'],
];

/** How long one scenario may take of real time; one that does not come to rest would take for ever. */
const longestMs = 30_000;

/** Plays all scenarios of a folder, and compares what happened with what is expected. */
export async function* playAll(folder: string): AsyncGenerator<Verdict> {
  for (const each of readCases(folder)) {
    const { id } = each.scenario;
    const missing = missingFor(each.scenario);
    if (missing !== undefined) {
      yield { id, verdict: 'skipped', reason: missing };
      continue;
    }
    const difference = await differenceIn(each);
    yield difference === undefined ? { id, verdict: 'passed' } : { id, verdict: 'failed', reason: difference };
  }
}

function missingFor(scenario: Scenario): string | undefined {
  const needs = scenario.needs ?? [];
  const tag = needs.find((need) => !supported.has(need));
  if (tag !== undefined) return unsupported[tag] ?? `needs ${tag}, which this runner does not know`;
  if (!needs.includes('registry')) return undefined;
  const text = JSON.stringify(scenario);
  return unsupportedOfRegistries.find(([sign]) => sign.test(text))?.[1];
}

/** The first difference between what happened and what is expected. */
async function differenceIn({ scenario, expected }: Case): Promise<string | undefined> {
  const tooLong = Promise.withResolvers<never>();
  const timer = setTimeout(() => tooLong.reject(new Error(`no rest within ${longestMs} ms`)), longestMs);
  try {
    const actual = canonical(scenario, await Promise.race([trace(scenario), tooLong.promise]));
    return firstDifference(actual, expected);
  } catch (error) {
    return inspect(error);
  } finally {
    clearTimeout(timer);
  }
}

function firstDifference(actual: readonly TraceStep[], expected: readonly TraceStep[]): string | undefined {
  for (let at = 0; at < Math.max(actual.length, expected.length); at += 1) {
    for (const field of ['step', 'op', 'result', 'events', 'reports'] as const) {
      const [is, wanted] = [sorted(actual[at]?.[field]), sorted(expected[at]?.[field])];
      if (is !== wanted) return `step ${at}, ${expected[at]?.op}: ${field}\n  expected ${wanted}\n  got      ${is}`;
    }
  }
  return undefined;
}

/** A value as text, the fields of objects in order of their names. */
function sorted(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
