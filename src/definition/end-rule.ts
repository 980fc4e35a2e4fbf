import { documentKind } from '../extract/document/all.ts';
import type { RecordDraft } from '../extract/draft.ts';
import { compileCondition, type ExpressionScope } from '../expression/compile.ts';
import type { FieldKind } from '../expression/values.ts';
import type { EndRule } from '../schedule/end-rule.ts';
import { isMapping } from '../schema/mapping.ts';
import { bareName } from './rule.ts';
import type { Source } from './source.ts';

/** Opened rules: a source is never changed, and most targets of the daemon ask for the rule of one. */
const opened = new WeakMap<Source, EndRule>();

/** Returns the rule by which the targets of a source end; `undefined` for a source whose targets do not end by their records. */
export function endRuleOf(source: Source): EndRule | undefined {
  const { finished } = source;
  if (finished === undefined) return undefined;
  const known = opened.get(source) ?? openEndRule(source, finished);
  opened.set(source, known);
  return known;
}

/** Whether the records of one page say that their target is finished, for a trial of the definition. */
export function saysFinished(
  source: Source,
  drafts: readonly Pick<RecordDraft, 'type' | 'fields'>[],
  at: number,
): boolean {
  const rule = endRuleOf(source);
  const values = drafts.filter(({ type }) => type === rule?.record).map(({ fields }) => fields);
  return (rule?.endsAt(values, at) ?? Infinity) <= at;
}

function openEndRule(source: Source, { record, when, zone }: NonNullable<Source['finished']>): EndRule {
  const fields = endFields(source, record) ?? {};
  const compiled = compileCondition(when, { fields, zone });
  // The definition was checked when it was loaded.
  if (!compiled.ok) throw new Error(`${source.id}: finished.when: ${compiled.message}`);
  const { condition } = compiled;
  return {
    record,
    endsAt(records, at) {
      let endsAt: number | undefined;
      for (const values of records) {
        const from = condition.holdsFrom(values, at);
        if (from === undefined) return undefined;
        endsAt = Math.max(from, endsAt ?? at);
      }
      return endsAt;
    },
  };
}

interface Declared {
  readonly fields: object;
  readonly rules?: object;
}

/** A source, as far as it declares records; it may come from a definition that is not valid. */
interface Declaring {
  readonly provider?: string | undefined;
  /** The record types. `rules` are the rules of the fields as the file has them; missing where `fields` are these rules. */
  readonly records: Readonly<Record<string, Declared & { readonly page?: Declared | undefined }>>;
}

/** The types of the fields of a record, declared or usual for the kind of document; `undefined` for no such record. */
export function endFields(
  { provider = 'html', records }: Declaring,
  name: string,
): ExpressionScope['fields'] | undefined {
  const record = Object.hasOwn(records, name) ? records[name] : undefined;
  if (record !== undefined)
    return kindsOf([record, record.page].flatMap((each) => Object.entries(each?.rules ?? each?.fields ?? {})));
  const usual = Object.keys(records).length === 0 ? documentKind(provider)?.record : undefined;
  return usual?.type === name ? kindsOf(usual.fields.map(({ name: field, rule }) => [field, rule])) : undefined;
}

function kindsOf(rules: readonly (readonly [string, unknown])[]): ExpressionScope['fields'] {
  return Object.fromEntries(rules.map(([key, rule]) => [bareName(key), kindOf(key, rule)]));
}

/** The type of a field whose rule may be written in any form. */
function kindOf(key: string, rule: unknown): FieldKind {
  if (key.endsWith('[]')) return { list: kindOf(bareName(key), rule) };
  if (Array.isArray(rule)) return kindOf(key, rule.at(-1));
  if (!isMapping(rule)) return 'text';
  const { type, of, fields } = rule;
  if (type === 'array') return { list: kindOf('', of) };
  return typeof type === 'string' ? type : fields === undefined ? 'text' : 'object';
}
