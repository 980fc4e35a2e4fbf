import { createHash } from 'node:crypto';
import type { ExtractPlan } from '../../extract/plan.ts';
import type { Step } from '../step.ts';

/** The key of what a step asks for and how it is read, whatever its turn: of two steps with one key, the outcome of one serves the other. */
export function stepKey({ request, reading, render, keepBytes }: Step): string {
  const plan = reading && planKey(reading.plan);
  return digest(canonicalText({ request, reading: reading && { ...reading, plan }, render, keepBytes }));
}

/** The keys of plans: all steps of a source share one, which is most of what a step says. */
const planKeys = new WeakMap<ExtractPlan, string>();

function planKey(plan: ExtractPlan): string {
  let key = planKeys.get(plan);
  if (key === undefined) planKeys.set(plan, (key = digest(canonicalText(plan))));
  return key;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Writes data in one form alone: equal values have equal texts, however they were made, and others have others. A property that is `undefined` counts as missing. */
function canonicalText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${Array.from(value, canonicalText).join()}]`;
  if (value instanceof Date) return `date(${value.getTime()})`;
  if (value instanceof RegExp) return `pattern(${JSON.stringify([value.source, value.flags])})`;
  if (value instanceof Map) return `map(${canonicalText([...value])})`;
  if (value instanceof Set) return `set(${canonicalText([...value])})`;
  if (ArrayBuffer.isView(value))
    return `bytes(${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')})`;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonicalText(each)}`).join()}}`;
}
