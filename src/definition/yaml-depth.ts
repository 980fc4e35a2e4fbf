import { Lexer } from 'yaml';

/** How many mappings and lists may stand within each other. */
const maxDepth = 64;
export const tooDeep = `nested too deep, expected at most ${maxDepth} levels`;

/** More than this depth needs, whatever the indentation of a person. */
const maxIndent = 256;

const marks = new Set(['\u0002', '\u0018', '\u001F']);
const scalarMark = '\u001F';

/** Something wrong at a place of the text. */
export interface Fault {
  readonly offset: number;
  readonly message: string;
}

/**
 * What no file of ours looks like, if a text does: too deep, or closing what was not opened. Looked for before the text is
 * parsed, since the parser calls itself for each level, and a stack without room ends the process.
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

/** The path to a value that stands too deep, or within itself through an alias. */
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
