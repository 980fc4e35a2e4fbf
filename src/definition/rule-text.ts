import { embeddedText } from '../extract/embedded/all.ts';
import { fromText } from '../extract/rule/from.ts';
import { defined } from '../defined.ts';
import type { ExplainedNext, ExplainedRule } from '../view/trial.ts';
import { allFields } from './all-fields.ts';
import type { Place } from './place.ts';
import type { Rule } from './rule.ts';
import type { Source } from './source.ts';

type Ruled = Pick<Source, 'records' | 'plugin' | 'collect'>;

/**
 * Returns the places where the definition of a source looks for a field, as people write them. `undefined` where a plug-in or a program gives the field, and
 * where no definition has it.
 */
export function ruleText(source: Ruled, record: string, field: string): string | undefined {
  const type = Object.hasOwn(source.records, record) ? source.records[record] : undefined;
  return type && placesText(source, allFields(type), field);
}

/** Returns the places where the pulse of a source looks for a field, as `ruleText` does. */
export function pulseRuleText(
  source: Ruled & Pick<Source, 'pulse'>,
  record: string,
  field: string,
): string | undefined {
  const { pulse } = source;
  return pulse?.record === record ? placesText(source, pulse.fields, field) : undefined;
}

/** Says how a page came to what leads to the next page of its list, with the rule of the definition for it. */
export function nextView({ feed }: Pick<Source, 'feed'>, found: ExplainedRule | undefined): ExplainedNext | undefined {
  return found && { ...found, ...defined({ rule: feed?.next && rulePlaces(feed.next) }) };
}

function placesText(
  { plugin, collect }: Ruled,
  fields: Readonly<Record<string, Rule>>,
  field: string,
): string | undefined {
  if (plugin !== undefined || collect?.command !== undefined) return undefined;
  const rule = Object.hasOwn(fields, field) ? fields[field] : undefined;
  return rule && rulePlaces(rule);
}

function rulePlaces(rule: Rule): string {
  return (rule.any ?? [rule]).map(placeText).join(', else ');
}

function placeText({ from = [], attr, ...place }: Place): string {
  return [...from.map(fromText), whereText(place), ...(attr === undefined ? [] : [`@${attr}`])].join(' ');
}

function whereText({ css, xpath, json, in: within, meta, page }: Place): string {
  if (json !== undefined) return within === undefined ? json : `${json} in ${embeddedText(within)}`;
  if (meta !== undefined) return `meta ${meta}`;
  return css ?? xpath ?? (page === undefined ? '.' : `the page's ${page}`);
}
