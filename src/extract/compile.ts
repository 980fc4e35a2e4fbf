import type { Document } from 'domhandler';
import { LRUCache } from 'lru-cache';
import { defined } from '../defined.ts';
import { documentKind } from './document/all.ts';
import { compileForm, type FindForm } from './form.ts';
import type { ExtractPlan } from './plan.ts';
import { anyFound } from './filter/pattern.ts';
import type { RecordPlan } from './rule/plan.ts';
import { type CompiledField, type CompiledRule, compileRule } from './rule/compile.ts';
import { compilePlace, type Dialect, type Find, isSingular } from './rule/place.ts';
import { compileLinks, type FindLinks } from './links.ts';
import { compileIgnore } from './tree/ignore.ts';

/** A plan whose selectors, paths and filters are compiled. */
export interface CompiledPlan {
  readonly plan: ExtractPlan;
  /** Takes out of a page what no rule is to see. */
  readonly ignore?: (root: Document) => void;
  readonly records: readonly CompiledRecord[];
  readonly next?: CompiledRule;
  readonly links?: FindLinks;
  readonly form?: FindForm;
}

/** The rules of one type of record, compiled. */
export interface CompiledRecord {
  readonly plan: RecordPlan;
  /** Whether a page of this address may have such records. */
  isOn(url: string): boolean;
  readonly each?: { readonly find: Find; readonly isSingular: boolean };
  readonly fields: readonly CompiledField[];
  readonly page?: CompiledField;
}

/** The plans last used on this thread, by their ids. */
const compiled = new LRUCache<string, CompiledPlan, ExtractPlan>({
  max: 1_000,
  memoMethod: (_id, _stale, { context }) => compiledOf(context),
});

/** Compiles a plan, or finds it compiled under its id. Throws if it does not compile, as with an invalid selector. */
export function compilePlan(plan: ExtractPlan): CompiledPlan {
  return compiled.memo(plan.id, { context: plan });
}

function compiledOf(plan: ExtractPlan): CompiledPlan {
  const dialect: Dialect = { isXml: documentKind(plan.document).view === 'xml', isScoped: false };
  return {
    plan,
    records: plan.records.map((record) => compileRecord(record, dialect)),
    ...defined({
      ignore: plan.ignore && compileIgnore(plan.ignore, dialect.isXml),
      next: plan.next && compileRule(plan.next, dialect),
      links: plan.links && compileLinks(plan.links, dialect.isXml),
      form: plan.form && compileForm(plan.form, dialect),
    }),
  };
}

function compileRecord(plan: RecordPlan, dialect: Dialect): CompiledRecord {
  const { each, on, page } = plan;
  return {
    plan,
    isOn: on === undefined ? () => true : anyFound(on),
    ...defined({
      each: each && { find: compilePlace(each, dialect), isSingular: isSingular(each) },
      page: page && compileRule(page, dialect),
    }),
    fields: plan.fields.map((field) => compileRule(field, dialect)),
  };
}
