import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isMapping } from '../schema/mapping.ts';
import type { RepairChange, RepairPlace } from '../view/repair.ts';
import { alternative, goesWithPlace, placeKeysOf, withPlace, yamlText } from './rule-place-text.ts';

/** The text of a definition after a change, or why the text cannot be changed. */
export type EditedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** A part of a text that is replaced. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Gives rules of a definition other places, and leaves all else of its text as it is: comments, order and layout. What is written then is
 * read again, and refused where it does not say what was meant, as with a rule that is written through an alias. Lines that are added end as the
 * first line of the text does.
 */
export function editRules(text: string, changes: readonly RepairChange[]): EditedText {
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  const edits: Edit[] = [];
  const nodes = new Map<string, Node>();
  let expected: unknown = document.toJS();
  for (const change of changes) {
    const path = pathOf(change, expected);
    const node: unknown = path && document.getIn(path, true);
    const name = `${change.record}.${change.field ?? 'each'}`;
    if (path === undefined || !isNode(node)) return { ok: false, message: `it has no rule "${name}" of its own` };
    const found = editsOf(node, change.to, text);
    nodes.set(name, node);
    if (found === undefined) return refusal(document, nodes);
    edits.push(...found);
    expected = replacedIn(expected, path, (rule) => withPlace(rule, change.to));
  }
  const edited = applied(text, edits);
  const again = parseDocument(edited, { prettyErrors: false, uniqueKeys: false });
  return again.errors.length === 0 && isDeepStrictEqual(again.toJS(), expected)
    ? { ok: true, text: edited }
    : refusal(document, nodes);
}

/** Says of the rules that were to be changed which one cannot be, and for what. */
function refusal(document: Document, nodes: ReadonlyMap<string, Node>): Extract<EditedText, { ok: false }> {
  for (const [name, node] of nodes) {
    const construct = constructOf(document, node);
    if (construct !== undefined)
      return { ok: false, message: `the rule "${name}" is written with ${construct}, which is not edited` };
  }
  const names = Array.from(nodes.keys(), (name) => `"${name}"`).join(', ');
  return {
    ok: false,
    message: `${nodes.size === 1 ? 'the rule' : 'one of the rules'} ${names} is written in a way that is not edited`,
  };
}

/** What in the text of a rule keeps it from being edited. */
function constructOf(document: Document, node: Node): string | undefined {
  const anchors = new Set<string>();
  visit(document, { Alias: (_, { source }) => void anchors.add(source) });
  let found: string | undefined;
  visit(node, {
    Alias: (_, { source }) => void (found ??= `the alias *${source}`),
    Value(_, { anchor }) {
      if (anchor !== undefined && anchors.has(anchor)) found ??= `the anchor &${anchor}, which other rules refer to`;
    },
  });
  return found;
}

/** The keys that lead to a rule: in the fields of the record, or in those of the page that its item leads to. A field's name may end in `[]`. */
function pathOf({ record, field }: RepairChange, value: unknown): string[] | undefined {
  const records = isMapping(value) ? value['records'] : undefined;
  const type = isMapping(records) ? records[record] : undefined;
  if (!isMapping(type)) return undefined;
  if (field === undefined) return 'each' in type ? ['records', record, 'each'] : undefined;
  const page = type['page'];
  const places = [
    { fields: type['fields'], path: ['fields'] },
    { fields: isMapping(page) ? page['fields'] : undefined, path: ['page', 'fields'] },
  ];
  for (const { fields, path } of places) {
    const key = isMapping(fields) ? [field, `${field}[]`].find((each) => each in fields) : undefined;
    if (key !== undefined) return ['records', record, ...path, key];
  }
  return undefined;
}

function replacedIn(value: unknown, [key, ...rest]: readonly string[], change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  return isMapping(value) ? { ...value, [key]: replacedIn(value[key], rest, change) } : value;
}

function editsOf(node: Node, place: RepairPlace, text: string): Edit[] | undefined {
  const { range } = node;
  if (range === undefined || range === null) return undefined;
  if (isScalar(node)) {
    return [{ from: range[0], to: endOf(node, text), text: yamlText(withPlace('', place)) }];
  }
  if (isSeq(node)) return addedTo(node, withPlace(valueOf(node.items.at(-1)), place), text, 'end');
  if (!isMap(node)) return undefined;
  const any: unknown = node.get('any', true);
  if (!isSeq(any)) return placeEdits(node, place, text);
  return addedTo(any, alternative(valueOf(any.items[0]), place), text, 'start');
}

function valueOf(node: unknown): unknown {
  return isScalar(node) ? node.value : isMap(node) ? node.toJSON() : undefined;
}

/** Adds an element to a list. */
function addedTo(list: YAMLSeq, value: unknown, text: string, where: 'start' | 'end'): Edit[] {
  const item: unknown = where === 'start' ? list.items[0] : list.items.at(-1);
  if (!isNode(item) || !item.range || !list.range) return [];
  const [start] = item.range;
  const end = endOf(item, text);
  const added = yamlText(value);
  if (list.flow === true)
    return where === 'start'
      ? [{ from: start, to: start, text: `${added}, ` }]
      : [{ from: end, to: end, text: `, ${added}` }];
  const dash = where === 'start' ? list.range[0] : text.lastIndexOf('-', start);
  const indent = ' '.repeat(dash - lineStart(text, dash));
  if (where === 'start') return [{ from: dash, to: dash, text: `- ${added}${lineFeedOf(text)}${indent}` }];
  const at = lineEnd(text, end);
  return [{ from: at, to: at, text: `${lineFeedOf(text)}${indent}- ${added}` }];
}

/** Replaces the keys of a rule that say where its value is. */
function placeEdits(map: YAMLMap, place: RepairPlace, text: string): Edit[] | undefined {
  const pairs = map.items.map((pair) => rangeOf(pair, text));
  const [head] = pairs;
  if (head === undefined || pairs.some((pair) => pair === undefined)) return undefined;
  const indent = ' '.repeat(head.from - lineStart(text, head.from));
  const isFlow = map.flow === true;
  const separator = isFlow ? ', ' : `${lineFeedOf(text)}${indent}`;
  const wanted = Object.entries(placeKeysOf(place))
    .map(([key, value]) => `${key}: ${yamlText(value)}`)
    .join(separator);
  const old = pairs.flatMap((pair, at) =>
    pair !== undefined && goesWithPlace(pair.key, place) ? [{ ...pair, at }] : [],
  );
  const [first, ...others] = old;
  if (first === undefined) return [{ from: head.from, to: head.from, text: `${wanted}${separator}` }];
  return [
    { from: first.from, to: first.to, text: wanted },
    ...others.map(({ from, to, at }): Edit => {
      if (!isFlow) return { from: lineEnd(text, lineStart(text, from) - 1), to: lineEnd(text, to), text: '' };
      const next = pairs[at + 1];
      return next === undefined ? { from: pairs[at - 1]?.to ?? from, to, text: '' } : { from, to: next.from, text: '' };
    }),
  ];
}

function rangeOf(
  { key, value }: Pair,
  text: string,
): { readonly key: string; readonly from: number; readonly to: number } | undefined {
  if (!isScalar(key) || key.range === undefined || key.range === null) return undefined;
  const end = isNode(value) && value.range ? endOf(value, text) : key.range[1];
  return { key: String(key.value), from: key.range[0], to: end };
}

/** The end of a node's text, before the line feed that the range of a block takes in. */
function endOf({ range }: Node, text: string): number {
  const [from = 0, to = 0] = range ?? [];
  return from + text.slice(from, to).trimEnd().length;
}

/** What the lines of a text end in. */
function lineFeedOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** The end of the line on which a part ends, before what ends it. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

/** Applies edits from the last to the first; parts that are left out and overlap are one. */
function applied(text: string, edits: readonly Edit[]): string {
  const merged: Edit[] = [];
  for (const edit of edits.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last !== undefined && edit.from < last.to && last.text === '' && edit.text === '')
      merged[merged.length - 1] = { ...last, to: Math.max(last.to, edit.to) };
    else merged.push(edit);
  }
  return merged.reduceRight((rest, { from, to, text: by }) => `${rest.slice(0, from)}${by}${rest.slice(to)}`, text);
}
