import { hash } from 'node:crypto';
import type { RuleDigests } from '../health/baseline.ts';
import { canonicalJson } from '../extract/value/json-text.ts';
import { allFields } from './all-fields.ts';
import { type LoadedSource, type NormalForm, normalForm } from './catalogue.ts';

const known = new WeakMap<LoadedSource, RuleDigests>();

/** Digests of the rules of a source, by which what its targets gave by another version of it can be told from what they give now. */
export function ruleDigests(loaded: LoadedSource): RuleDigests {
  const made = known.get(loaded) ?? ruleDigestsOf(normalForm(loaded));
  known.set(loaded, made);
  return made;
}

/** Digests of the rules of a version of a source. */
export function ruleDigestsOf({ pluginText, ...source }: NormalForm): RuleDigests {
  const { url, feed, crawl, collect, request, provider, tree, csv, encoding, ignore, render, options } = source;
  const reading = { provider, tree, csv, encoding, ignore, render, options, pluginText };
  const digests = [['', digestOf({ url, feed, crawl, collect, request })]];
  for (const [type, { fields, page, ...record }] of Object.entries(source.records)) {
    const { key, on, each, nulls } = record;
    digests.push([type, digestOf({ key, on, each, nulls, ...reading })]);
    const of = page === undefined ? {} : { url: page.url, provider: page.provider };
    for (const [name, { confirm: _confirm, hold: _hold, ...rule }] of Object.entries(allFields({ fields, page })))
      digests.push([`${type}.${name}`, digestOf(Object.hasOwn(fields, name) ? rule : { rule, of })]);
  }
  return Object.fromEntries(digests) as RuleDigests;
}

/** Eight hexadecimal digits: two of the same field are compared, never two of all. */
function digestOf(rule: object): string {
  return hash('sha256', canonicalJson(JSON.parse(JSON.stringify(rule))), 'hex').slice(0, 8);
}
