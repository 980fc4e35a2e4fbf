import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { got } from '../schema/expected.ts';
import type { Locate, Position, Problem } from './problem.ts';

/** The value of a YAML text and the positions of its parts, or why it cannot be read. */
export type ReadYaml =
  | { readonly ok: true; readonly value: unknown; readonly locate: Locate }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Faults of the YAML itself that are told, at most. */
const maxFaults = 20;
const maxKeys = 1_000;

/** Reads one YAML 1.2 document; aliases may repeat at most a hundred nodes. */
export function readYaml(text: string, file: string): ReadYaml {
  const fault = formFault(text);
  if (fault !== undefined) return refused([fault], linesOf(text));
  const lines = new LineCounter();
  // Keys are compared below, since the parser takes the square of their number to do so.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const faults = [...document.errors, ...document.warnings].map(({ code, pos, message }) => ({
    offset: pos[0],
    // The parser's own message names a function to call.
    message: messageOf(code, message),
  }));
  if (faults.length > 0) return refused(withUnquoted(faults, text), lines);
  const wrongKeys = keyFaults(document);
  if (wrongKeys.length > 0) return refused(withUnquoted(wrongKeys, text), lines);
  return valueOf();

  function valueOf(): ReadYaml {
    const locate = locator(document, lines);
    try {
      const value: unknown = document.toJS();
      const path = tooDeepIn(value);
      if (path === undefined) return { ok: true, value, locate };
      return { ok: false, problems: [{ file, ...locate(path, 'value'), path: '', message: tooDeep }] };
    } catch (error) {
      // An alias of nothing, or aliases that unfold without end, are found only when the value is made.
      return refused([{ offset: 0, message: error instanceof Error ? error.message : String(error) }], lines);
    }
  }

  function refused(faults: readonly Fault[], counted: LineCounter): ReadYaml {
    const problems = faults.slice(0, maxFaults).map(({ offset, message }) => ({
      file,
      ...positionOf(counted, offset),
      path: '',
      message: lowerFirst(message),
    }));
    return { ok: false, problems };
  }
}

/** Tells of a line with an expression in braces outside of quotes, once, that it lacks quotes; other faults stay as they are. */
function withUnquoted(faults: readonly Fault[], text: string): Fault[] {
  const told = new Set<number>();
  return faults.flatMap(({ offset, message }) => {
    const start = text.lastIndexOf('\n', offset - 1) + 1;
    const [line = ''] = text.slice(start).split('\n', 1);
    if (!/^[^'"#]*\{[A-Za-z_][\w.]*\}/.test(line)) return [{ offset, message }];
    if (told.has(start)) return [];
    told.add(start);
    return [{ offset, message: `a text with { } must stand in quotes (${lowerFirst(message)})` }];
  });
}

function messageOf(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'expected one document, got multiple documents';
  return code === 'BAD_SCALAR_START' ? `${message}: put it in quotes, such as '@href'` : message;
}

/** Keys that stand twice in one mapping, that an object cannot hold as its own, or that are no names, as where a text in braces lacks quotes. */
function keyFaults(document: Document.Parsed): Fault[] {
  const faults: Fault[] = [];
  visit(document, { Map: (_, map) => void faults.push(...faultsOfKeys(map, document)) });
  return faults;
}

function* faultsOfKeys({ items, flow }: YAMLMap, document: Document.Parsed): Generator<Fault> {
  const [first] = items;
  // Such as {name}: a text in braces, not a mapping.
  if (flow && items.length === 1 && first?.value === null && isScalar(first.key) && first.key.type === 'PLAIN')
    yield { offset: first.key.range?.[0] ?? 0, message: `expected ": " and a value behind ${String(first.key.value)}` };
  const seen = new Set<string>();
  for (const { key, value } of items) {
    const node: unknown = isAlias(key) ? key.resolve(document) : key;
    if (isMap(node) || isEmpty(node)) {
      const place = [node, value].find((each) => isNode(each) && each.range);
      yield { offset: (isNode(place) && place.range?.[0]) || 0, message: 'expected a name before ":"' };
      continue;
    }
    if (!isScalar(node)) continue;
    const name = String(node.value);
    const offset = (isNode(key) ? key.range?.[0] : undefined) ?? 0;
    if (name === '__proto__') yield { offset, message: got(name, 'a name that is not reserved') };
    if (seen.has(name))
      yield { offset, message: `expected each key once, ${JSON.stringify(name).slice(0, 80)} stands here again` };
    seen.add(name);
    if (seen.size <= maxKeys) continue;
    yield { offset, message: `expected at most ${maxKeys} keys in one mapping, got ${items.length}` };
    return;
  }
}

/** Whether a key is missing, as in `: value`. */
function isEmpty(key: unknown): boolean {
  return key === null || (isScalar(key) && key.value === null && key.source === '');
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return lines;
}

/** Goes down a path as far as the file does. */
function locator(document: Document.Parsed, lines: LineCounter): Locate {
  return (path, wanted) => {
    let node: unknown = document.contents;
    let last: Position = { line: 1, column: 1 };
    for (const [index, part] of path.entries()) {
      const pair = pairAt(node, part, document);
      if (pair === undefined) return last;
      const isEnd = index === path.length - 1;
      const key = startOf(pair.key);
      const value = startOf(pair.value);
      last = (isEnd && wanted === 'value' ? (value ?? key) : (key ?? value)) ?? last;
      node = pair.value;
    }
    return last;
  };

  function startOf(node: unknown): Position | undefined {
    const start = isNode(node) ? node.range?.[0] : undefined;
    return start === undefined ? undefined : positionOf(lines, start);
  }
}

/** The key and value nodes of one part of a mapping; for a list, the element alone. */
function pairAt(
  node: unknown,
  part: PropertyKey,
  document: Document,
): { readonly key?: unknown; readonly value: unknown } | undefined {
  const resolved: unknown = isAlias(node) ? node.resolve(document) : node;
  if (isSeq(resolved)) {
    const value: unknown = resolved.items[Number(part)];
    return value === undefined ? undefined : { value };
  }
  if (!isMap(resolved)) return undefined;
  return resolved.items.find(({ key }: Pair) => isScalar(key) && String(key.value) === String(part));
}

function positionOf(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** How deep mappings and lists may be nested. */
const maxDepth = 64;
/** The message for a value that is nested too deep. */
export const tooDeep = `nested too deep, expected at most ${maxDepth} levels`;

/** Columns of indentation, at most: more than the deepest file needs. */
const maxIndent = 256;

const marks = new Set(['\u0002', '\u0018', '\u001F']);
const scalarMark = '\u001F';

/** Something wrong at an offset of the text. */
export interface Fault {
  readonly offset: number;
  readonly message: string;
}

/**
 * Finds nesting that is too deep, and brackets that close what was not opened; undefined if there is neither. It is called before
 * the text is parsed, since the parser is recursive and a stack overflow ends the process.
 */
export function formFault(text: string): Fault | undefined {
  let offset = 0;
  let flow = 0;
  let indent: number | undefined = 0;
  let before = '';
  for (const token of new Lexer().lex(text)) {
    const isScalar = before === scalarMark;
    if (!isScalar && /^[[{]$/.test(token)) flow += 1;
    if (!isScalar && /^[\]}]$/.test(token)) flow -= 1;
    if (flow < 0) return { offset, message: `unexpected "${token}"` };
    if (flow > maxDepth || (indent !== undefined && flow === 0 && indent > maxIndent && opens(token)))
      return { offset, message: tooDeep };
    if (!marks.has(token)) {
      offset += token.length;
      if (token.endsWith('\n')) indent = 0;
      else if (indent !== undefined) indent = !isScalar && /^[ \t?-]+$/.test(token) ? indent + token.length : undefined;
    }
    before = token;
  }
  return undefined;
}

/** Whether a token is more than blanks, a comment or the end of a line. */
function opens(token: string): boolean {
  return !/^(?:\s*|#.*)$/.test(token);
}

/** Finds the path to a value that is nested too deep, or within itself through an alias; undefined if there is none. */
export function tooDeepIn(value: unknown): PropertyKey[] | undefined {
  const open: { readonly value: unknown; readonly path: readonly PropertyKey[] }[] = [{ value, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.path.length >= maxDepth) return [...next.path];
    const isList = Array.isArray(next.value);
    for (const [key, inner] of Object.entries(next.value))
      if (typeof inner === 'object') open.push({ value: inner, path: [...next.path, isList ? Number(key) : key] });
  }
  return undefined;
}
