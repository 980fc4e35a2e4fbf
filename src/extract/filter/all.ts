import { compileJsonPath, isSingularPath } from '../document/json-path.ts';
import type { Value } from '../draft.ts';
import { readValue } from '../value/read.ts';
import { plainText } from '../value/plain-text.ts';
import { quoted } from '../value/quoted.ts';
import type { ScalarRule } from '../value/rule.ts';
import { readAmount } from './amount.ts';
import { bounded, maxElements, textFor } from './bound.ts';
import { FilterError } from './error.ts';
import { capture, replaceAll } from './pattern.ts';
import type { FilterPlan } from './plan.ts';
import { unitReader } from './unit.ts';

/** A filter ready to run; `base` is what relative URLs are relative to. It throws a `FilterError` on a value that it cannot work on. */
export type Filter = (value: Value, base: string) => Value;

/**
 * Makes a filter of its plan. On a list it works on each element, but for `split`, `join` and `default`, which take the whole.
 * `null` passes through all but `default`, and through functions, which get every value as it is.
 */
export function compileFilter(plan: FilterPlan): Filter {
  if (typeof plan === 'function') return (value) => plan(value);
  switch (plan.type) {
    case 'trim':
      return onTexts((text) => text.trim());
    case 'upper':
      return onTexts((text) => bounded(text.toUpperCase()));
    case 'lower':
      return onTexts((text) => bounded(text.toLowerCase()));
    case 'collapse':
      return onTexts((text) => text.replaceAll(/\s+/g, ' ').trim());
    case 'replace':
      return onTexts(replaceAll(plan.from, plan.to));
    case 'regex':
      return onTexts(capture(plan.pattern));
    case 'split':
      return (value) => (value === null ? null : split(value, plan.by));
    case 'join':
      return (value) => (isList(value) ? join(value, plan.by) : value);
    case 'number':
      return onTexts((text) => readAmount(text, plan.decimal) ?? refuse(text, 'one number'));
    case 'unit': {
      const read = unitReader(plan.to, plan.decimal);
      return onTexts((text) => read(text) ?? refuse(text, `an amount that can be given in ${plan.to}`));
    }
    case 'money':
    case 'date':
      return readAs(plan);
    case 'url':
      return readAs({ type: 'url' });
    case 'map': {
      const { values, else: otherwise } = plan;
      const names = Object.keys(values).slice(0, 20).join(', ');
      return onTexts((text) => (Object.hasOwn(values, text) ? values[text] : otherwise) ?? orNull(text));

      function orNull(text: string): Value {
        return Object.hasOwn(values, text) || otherwise === null ? null : refuse(text, `one of ${names}`);
      }
    }
    case 'default':
      return (value) => (value === null || (typeof value === 'string' && value.trim() === '') ? plan.value : value);
    case 'json':
      return readJson(plan.path);
    default:
      return plan satisfies never;
  }
}

function refuse(value: Value, expected: string): never {
  throw new FilterError(quoted(value), expected);
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function eachOf(value: Value, change: (value: Value) => Value): Value {
  if (isList(value)) return value.map((each) => (each === null ? null : change(each)));
  return value === null ? null : change(value);
}

function onTexts(change: (text: string) => Value): Filter {
  return (value) => eachOf(value, (each) => change(textFor(each)));
}

function readAs(rule: ScalarRule): Filter {
  return (value, base) =>
    eachOf(value, (each) => {
      const read = readValue(each, rule, base);
      return read.ok ? read.value : refuse(each, read.expected);
    });
}

/** Parts are trimmed, and empty ones left out: nobody tracks the space behind a comma. */
function split(value: Value, by: string): Value {
  const texts = isList(value) ? value.filter((each) => each !== null).map(textFor) : [textFor(value)];
  const parts: string[] = [];
  for (const text of texts) {
    const cut = text.split(by, maxElements + 1);
    parts.push(...cut.map((part) => part.trim()).filter((part) => part !== ''));
    if (cut.length > maxElements || parts.length > maxElements) refuse(value, `at most ${maxElements} parts`);
  }
  return parts;
}

function join(values: readonly Value[], by: string): Value {
  return bounded(values.flatMap((each) => (each === null ? [] : [plainText(each) ?? refuse(each, 'text')])).join(by));
}

function readJson(path: string | undefined): Filter {
  const found = path === undefined ? undefined : compileJsonPath(path);
  const isSingular = path !== undefined && isSingularPath(path);
  return (value, base) => {
    // What is JSON already, such as a list, is looked into as a whole.
    const read = typeof value === 'string' ? readValue(value, { type: 'json' }, base) : { ok: true as const, value };
    if (!read.ok) return refuse(value, read.expected);
    if (found === undefined || read.value === null) return read.value;
    const values = found(read.value);
    return isSingular ? (values[0] ?? null) : [...values];
  };
}
