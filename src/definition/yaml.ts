import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { got } from './expected.ts';
import type { Locate, Place, Problem } from './problem.ts';
import { type Fault, formFault, tooDeep, tooDeepIn } from './yaml-depth.ts';

/** A YAML text: its value and where each part of it stands, or why it cannot be read. */
export type ReadYaml =
  | { readonly ok: true; readonly value: unknown; readonly locate: Locate }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Of what is wrong with the YAML itself, only so much is told. */
const maxFaults = 20;
const maxKeys = 1_000;

/** Reads one YAML 1.2 document; aliases may repeat at most a hundred nodes. */
export function readYaml(text: string, file: string): ReadYaml {
  const fault = formFault(text);
  if (fault !== undefined) return refused([fault], linesOf(text));
  const lines = new LineCounter();
  // Keys are compared below, since the parser takes the square of their number to do so.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const faults = [...document.errors, ...document.warnings].map(({ pos, message }) => ({ offset: pos[0], message }));
  if (faults.length > 0) return refused(faults, lines);
  const wrongKeys = keyFaults(document);
  if (wrongKeys.length > 0) return refused(wrongKeys, lines);
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
      ...placeOf(counted, offset),
      path: '',
      message: lowerFirst(message),
    }));
    return { ok: false, problems };
  }
}

/** Keys that stand twice in one mapping, or that an object cannot hold as its own. */
function keyFaults(document: Document.Parsed): Fault[] {
  const faults: Fault[] = [];
  visit(document, { Map: (_, map) => void faults.push(...faultsOfKeys(map, document)) });
  return faults;
}

function* faultsOfKeys({ items }: YAMLMap, document: Document.Parsed): Generator<Fault> {
  const seen = new Set<string>();
  for (const { key } of items) {
    const node: unknown = isAlias(key) ? key.resolve(document) : key;
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
    let last: Place = { line: 1, column: 1 };
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

  function startOf(node: unknown): Place | undefined {
    const start = isNode(node) ? node.range?.[0] : undefined;
    return start === undefined ? undefined : placeOf(lines, start);
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

function placeOf(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
