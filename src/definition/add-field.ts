import { isDeepStrictEqual } from 'node:util';
import { isMap, isNode, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { isMapping } from '../schema/mapping.ts';
import type { EditedText } from './edit-rules.ts';
import { yamlText } from './rule-place-text.ts';

/** A field that a definition is to have. */
export interface NewField {
  readonly record: string;
  readonly field: string;
  /** The rule as a definition has it. */
  readonly rule: unknown;
}

/**
 * Gives a record of a definition a field, or a field of it another rule, and leaves all else of the text as it is: comments, order and layout. What
 * is written then is read again, and refused where it does not say what was meant.
 */
export function addField(text: string, { record, field, rule }: NewField): EditedText {
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  const path = ['records', record, 'fields'];
  const fields: unknown = document.getIn(path, true);
  if (!isMap(fields) || !fields.range)
    return { ok: false, message: `expected the record "${record}" with a mapping of "fields"` };
  const edited = withField(text, fields, `${yamlText(field)}: ${yamlText(rule)}`, field);
  const again = edited === undefined ? undefined : parseDocument(edited, { prettyErrors: false, uniqueKeys: false });
  const expected = withMember(document.toJS(), [...path, field], rule);
  return edited !== undefined && again?.errors.length === 0 && isDeepStrictEqual(again.toJS(), expected)
    ? { ok: true, text: edited }
    : { ok: false, message: `the fields of "${record}" are written in a way that is not edited` };
}

function withField(text: string, fields: YAMLMap, line: string, field: string): string | undefined {
  const pairs = fields.items;
  const own = pairs.find(({ key }) => isScalar(key) && key.value === field);
  const last = own ?? pairs.at(-1);
  const [from, to] = rangeOf(last?.key, last?.value, text) ?? [];
  if (from === undefined || to === undefined)
    // Nothing but the braces is there.
    return fields.flow === true && fields.range
      ? `${text.slice(0, fields.range[0])}{ ${line} }${text.slice(fields.range[1])}`
      : undefined;
  if (own !== undefined) return `${text.slice(0, from)}${line}${text.slice(to)}`;
  if (fields.flow === true) return `${text.slice(0, to)}, ${line}${text.slice(to)}`;
  const indent = ' '.repeat(from - (text.lastIndexOf('\n', from - 1) + 1));
  const end = text.indexOf('\n', to);
  const at = end === -1 ? text.length : end;
  const feed = text[at - 1] === '\r' ? '\r\n' : '\n';
  const before = feed === '\r\n' ? at - 1 : at;
  return `${text.slice(0, before)}${feed}${indent}${line}${text.slice(before)}`;
}

/** Where a pair begins and ends in a text. */
function rangeOf(key: unknown, value: unknown, text: string): readonly [from: number, to: number] | undefined {
  if (!isScalar(key) || !key.range) return undefined;
  const [from] = key.range;
  const end = isNode(value) && value.range ? value.range[1] : key.range[1];
  return [from, from + text.slice(from, end).trimEnd().length];
}

function withMember(value: unknown, [key, ...rest]: readonly string[], member: unknown): unknown {
  if (key === undefined) return member;
  return isMapping(value) ? { ...value, [key]: withMember(value[key], rest, member) } : value;
}
