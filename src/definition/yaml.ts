import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Document, type Pair } from 'yaml';
import type { Locate, Place, Problem } from './problem.ts';

/** A YAML text: its value and where each part of it stands, or why it cannot be read. */
export type ReadYaml =
  | { readonly ok: true; readonly value: unknown; readonly locate: Locate }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads one YAML 1.2 document; aliases may repeat at most a hundred nodes. */
export function readYaml(text: string, file: string): ReadYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    return {
      ok: false,
      problems: faults.map(({ pos, message }) => ({
        file,
        ...placeOf(lines, pos[0]),
        path: '',
        message: lowerFirst(message),
      })),
    };
  }
  try {
    return { ok: true, value: document.toJS(), locate: locator(document, lines) };
  } catch (error) {
    // An alias of nothing, or aliases that unfold without end, are found only when the value is made.
    const message = lowerFirst(error instanceof Error ? error.message : String(error));
    return { ok: false, problems: [{ file, line: 1, column: 1, path: '', message }] };
  }
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
