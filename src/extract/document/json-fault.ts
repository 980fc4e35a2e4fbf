const token =
  /[ \t\r\n]*(?:(")|(-?(?:0|[1-9]\d{0,1000})(?:\.\d{1,1000})?(?:[eE][-+]?\d{1,1000})?|true|false|null)|([[\]{}:,]))/uy;
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** What may follow: a value, a value or the end of a list, a name, a name or the end of an object, a colon, or what comes behind a value. */
type Awaited = 'value' | 'first' | 'name' | 'first name' | 'colon' | 'next';

/** Where a text stops being JSON, in characters; its length where only the rest is missing. The engine's parser tells it of some faults only. */
export function jsonFaultAt(text: string): number {
  const open: string[] = [];
  let awaited: Awaited = 'value';
  let at = 0;
  while (at < text.length) {
    token.lastIndex = at;
    const found = token.exec(text);
    const end = found?.[1] === undefined ? token.lastIndex : endOfString(text, token.lastIndex);
    const next: Awaited | undefined = found === null || end === undefined ? undefined : following(awaited, found, open);
    if (next === undefined || end === undefined) break;
    awaited = next;
    at = end;
  }
  return at + (/^[ \t\r\n]*/.exec(text.slice(at, at + 1_000))?.[0].length ?? 0);
}

/** The place behind a string's closing quote; a pattern for the whole string would use up the stack where it is long. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return undefined;
    if (code !== 0x5c) continue;
    escape.lastIndex = at;
    if (!escape.test(text)) return undefined;
    at = escape.lastIndex - 1;
  }
  return undefined;
}

function following(awaited: Awaited, [, quote, scalar, sign]: RegExpExecArray, open: string[]): Awaited | undefined {
  const isValue = awaited === 'value' || awaited === 'first';
  const isName = awaited === 'name' || awaited === 'first name';
  if (quote !== undefined && isName) return 'colon';
  if (quote !== undefined || scalar !== undefined) return isValue ? 'next' : undefined;
  if (sign === '{' || sign === '[') {
    if (!isValue) return undefined;
    open.push(sign);
    return sign === '{' ? 'first name' : 'first';
  }
  if (sign === ':') return awaited === 'colon' ? 'value' : undefined;
  if (sign === ',') return awaited === 'next' ? behindComma(open.at(-1)) : undefined;
  const isClosed = sign === '}' ? awaited === 'first name' : awaited === 'first';
  if (!isClosed && awaited !== 'next') return undefined;
  return open.pop() === (sign === '}' ? '{' : '[') ? 'next' : undefined;
}

function behindComma(open: string | undefined): Awaited | undefined {
  if (open === undefined) return undefined;
  return open === '{' ? 'name' : 'value';
}
