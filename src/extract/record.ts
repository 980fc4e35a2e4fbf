import type { Document, Element, ParentNode } from 'domhandler';
import type { CompiledField, CompiledRecord } from './compile.ts';
import type { RecordDraft, Unparsed, Value } from './draft.ts';
import type { FieldPlan, ScalarRule } from './plan.ts';
import { findAll, findFirst, textOf } from './tree.ts';
import { readValue } from './value/read.ts';

/** All that a page gave of one type of record. */
export interface ReadRecords {
  readonly drafts: readonly RecordDraft[];
  readonly unparsed: readonly Unparsed[];
  /** Fields that were found in no record of the page, as `record.field`. */
  readonly absent: readonly string[];
  /** What kept something from being a record: key and required fields that were absent, empty or not readable. */
  readonly missing: readonly string[];
}

/** Reads the records of one type, in page order; of records with one key the first counts. */
export function readRecords(root: Document, record: CompiledRecord, baseUrl: string): ReadRecords {
  const { type, each } = record.plan;
  const places: readonly ParentNode[] = record.each === undefined ? [root] : findAll(root, record.each);
  const drafts = new Map<string, RecordDraft>();
  const found = new Set<string>();
  const missing = new Set<string>();
  const unparsed: Unparsed[] = [];
  for (const place of places) {
    const read = readFields(place, record, baseUrl);
    for (const name of read.found) found.add(name);
    unparsed.push(...read.unparsed);
    const key = keyOf(read.fields[record.plan.key]);
    const lacking = lackingFields(record, read.fields, key);
    for (const name of lacking) missing.add(`${type}.${name}`);
    if (lacking.length === 0 && key !== undefined && !drafts.has(key))
      drafts.set(key, { type, key, fields: read.fields });
  }
  if (places.length === 0) missing.add(`${type} (${each})`);
  const absent = record.plan.fields.filter(({ name }) => !found.has(name)).map(({ name }) => `${type}.${name}`);
  return { drafts: [...drafts.values()], unparsed, absent, missing: [...missing] };
}

interface ReadFields {
  readonly fields: Readonly<Record<string, Value>>;
  /** Names of the fields that stand on the page, readable or not. */
  readonly found: readonly string[];
  readonly unparsed: readonly Unparsed[];
}

function readFields(place: ParentNode, record: CompiledRecord, baseUrl: string): ReadFields {
  const fields: Record<string, Value> = {};
  const found: string[] = [];
  const unparsed: Unparsed[] = [];
  for (const field of record.fields) {
    const { name, rule } = field.plan;
    const texts = textsOf(place, field);
    if (texts.length === 0) continue;
    found.push(name);
    const values = texts.flatMap((text) => {
      const read = readValue(text, rule.type === 'array' ? rule.of : rule, baseUrl);
      if (read.ok) return [read.value];
      unparsed.push({ record: record.plan.type, field: name, text: read.text, expected: read.expected });
      return [];
    });
    // A list that lacks what could not be read would look as if the page had taken it away.
    if (values.length < texts.length) continue;
    if (rule.type === 'array') fields[name] = values.filter((value) => value !== null);
    else if (values[0] !== undefined) fields[name] = values[0];
  }
  return { fields, found, unparsed };
}

/** The texts of a field: none when it is absent, one, or for an array one per match. */
function textsOf(place: ParentNode, { plan, matches }: CompiledField): readonly string[] {
  const elements = plan.rule.type === 'array' ? findAll(place, matches) : [findFirst(place, matches)];
  return elements.flatMap((element) => (element === undefined ? [] : (textAt(element, plan) ?? [])));
}

/** Without a named attribute an URL is what the element links to, if it links. */
function textAt(element: Element, { attr, rule }: FieldPlan): string | undefined {
  if (attr !== undefined) return attribute(element, attr);
  const scalar: ScalarRule = rule.type === 'array' ? rule.of : rule;
  const link = scalar.type === 'url' ? (attribute(element, 'href') ?? attribute(element, 'src')) : undefined;
  return link ?? textOf(element);
}

function attribute(element: Element, name: string): string | undefined {
  return Object.hasOwn(element.attribs, name) ? element.attribs[name] : undefined;
}

/** The names of required fields that have no value, and of the key where it has none that can be one. */
function lackingFields(
  { plan }: CompiledRecord,
  fields: Readonly<Record<string, Value>>,
  key: string | undefined,
): string[] {
  return plan.fields
    .filter(({ name, required }) =>
      name === plan.key ? key === undefined : required && (fields[name] ?? null) === null,
    )
    .map(({ name }) => name);
}

/** Longest text that names a thing, in characters. */
const keyLength = 1_000;

function keyOf(value: Value | undefined): string | undefined {
  const isName = typeof value === 'number' || (typeof value === 'string' && value.length <= keyLength);
  return isName ? String(value) : undefined;
}

/** What relative URLs of a page are relative to: its first `<base href>`, else its own address. */
export function baseUrlOf(root: Document, url: string): string {
  const base = findFirst(root, (element) => element.name === 'base' && attribute(element, 'href') !== undefined);
  const href = base === undefined ? undefined : attribute(base, 'href');
  return (href === undefined ? null : URL.parse(href, url))?.href ?? url;
}
