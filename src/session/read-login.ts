import { type AnyNode, type Element } from 'domhandler';
import { compile } from 'css-select';
import { findFirst, parseTree, textOf } from '../extract/tree.ts';

/** What to look for in the answer of a log-in's exchange, as plain data: it may be read wherever pages are. */
export interface LoginReading {
  /** The values of elements, by the names under which they are wanted. */
  readonly values?: Readonly<Record<string, string>>;
  /** Whether any element matches. */
  readonly matches?: string;
  /** Members of JSON, by the names under which they are wanted; dots stand between names. */
  readonly json?: Readonly<Record<string, string>>;
}

/** What was found; names for which there was nothing are left out. */
export interface LoginRead {
  readonly values: Readonly<Record<string, string>>;
  readonly isMatched: boolean;
  readonly json: Readonly<Record<string, string | number>>;
}

export const nothingRead: LoginRead = { values: {}, isMatched: false, json: {} };

/** No value that a log-in needs is longer. */
const maxValueUnits = 16_384;

/** Reads a body of an answer. Pure but for the parser, which it does not load for JSON. */
export async function readLogin(text: string, { values = {}, matches, json = {} }: LoginReading): Promise<LoginRead> {
  const members = Object.keys(json).length === 0 ? {} : readJson(text, json);
  if (Object.keys(values).length === 0 && matches === undefined) return { ...nothingRead, json: members };
  const root = await parseTree(text, 'fast');
  const first = (css: string) => findFirst(root, compile<AnyNode, Element>(css));
  const found = Object.entries(values).flatMap(([name, css]) => {
    const element = first(css);
    return element === undefined ? [] : [[name, valueOf(element).slice(0, maxValueUnits)] as const];
  });
  return {
    values: Object.fromEntries(found),
    isMatched: matches !== undefined && first(matches) !== undefined,
    json: members,
  };
}

/** What an input holds, or a meta element, or else an element's text. */
function valueOf(element: Element): string {
  return element.attribs['value'] ?? element.attribs['content'] ?? textOf(element).trim();
}

function readJson(text: string, paths: Readonly<Record<string, string>>): Record<string, string | number> {
  const value = parsed(text);
  const found = Object.entries(paths).flatMap(([name, path]) => {
    const member = memberAt(value, path.split('.'));
    const fits = typeof member === 'number' || (typeof member === 'string' && member.length <= maxValueUnits);
    return fits && member !== '' ? [[name, member] as const] : [];
  });
  return Object.fromEntries(found);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the text; that nothing is found in it says enough.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}
