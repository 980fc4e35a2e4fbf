import type { AnyNode, Element } from 'domhandler';
import { compile } from 'css-select';
import { findFirst } from '../extract/tree/nodes.ts';
import { spacedText } from '../extract/tree/text.ts';
import { parseHtml } from '../extract/document/html.ts';

/** The parts to read from the answer to a request of a log-in. Plain data, so that it can be read on a thread. */
export interface LoginReading {
  /** CSS selectors of the elements whose values are read, by name. */
  readonly values?: Readonly<Record<string, string>>;
  /** A CSS selector; it is read whether an element matches. */
  readonly matches?: string;
  /** Paths of JSON members, by name; dots separate the parts of a path. */
  readonly json?: Readonly<Record<string, string>>;
}

/** The parts that were read. Names for which nothing was found are missing. */
export interface LoginRead {
  readonly values: Readonly<Record<string, string>>;
  readonly isMatched: boolean;
  readonly json: Readonly<Record<string, string | number>>;
}

/** The result of reading nothing. */
export const nothingRead: LoginRead = { values: {}, isMatched: false, json: {} };

/** The largest length of a value, in characters; longer ones are cut or ignored. */
const maxValueUnits = 16_384;

/** Reads the body of an answer. Loads the HTML parser only where it is needed. Throws for an invalid selector. */
export async function readLogin(text: string, { values = {}, matches, json = {} }: LoginReading): Promise<LoginRead> {
  const members = Object.keys(json).length === 0 ? {} : readJson(text, json);
  if (Object.keys(values).length === 0 && matches === undefined) return { ...nothingRead, json: members };
  const root = parseHtml(text);
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

/** The value of an input, the content of a meta element, or else the text of an element. */
function valueOf(element: Element): string {
  return element.attribs['value'] ?? element.attribs['content'] ?? spacedText(element).trim();
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
