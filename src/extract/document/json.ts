import type { Value } from '../draft.ts';
import { isTextTooDeep, jsonDepth } from '../value/depth.ts';
import { jsonFaultAt } from './json-fault.ts';

/** A document's value, or what is wrong with the document. */
export type ParsedJson =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

/** The value that a text is; nothing where it is no JSON, or nested deeper than 64. */
export function jsonOf(text: string): Value | undefined {
  if (isTextTooDeep(text)) return undefined;
  try {
    const value: Value = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Parses a whole document; one that is nested deeper than 64 is refused. */
export function parseJson(text: string): ParsedJson {
  if (isTextTooDeep(text)) return { ok: false, message: `nested deeper than ${jsonDepth}` };
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    const value: Value = JSON.parse(bare);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, message: messageOf(error, bare) };
    throw error;
  }
}

/** The parser's words without its quotation, which may be of a whole page; where it stopped says enough. */
function messageOf({ message }: SyntaxError, text: string): string {
  const { line, column } = placeOf(text, jsonFaultAt(text));
  const what = message.replace(/, *(?:\.\.\.)?".*$| (?:in JSON )?at position .*$/s, '').slice(0, 100);
  return `${what} at line ${line} column ${column}`;
}

/** Both count from 1. */
function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: at - start + 1 };
}
