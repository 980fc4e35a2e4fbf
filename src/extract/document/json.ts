import type { Value } from '../draft.ts';
import { isTextTooDeep, jsonDepth } from '../value/depth.ts';
import { jsonFaultAt } from './json-fault.ts';

/** A document's value, or what is wrong with the document. */
export type ParsedJson =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

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
  const before = text.slice(0, jsonFaultAt(text)).split('\n');
  const what = message.replace(/, *(?:\.\.\.)?".*$| (?:in JSON )?at position .*$/s, '').slice(0, 100);
  return `${what} at line ${before.length} column ${(before.at(-1)?.length ?? 0) + 1}`;
}
