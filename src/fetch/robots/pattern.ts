/**
 * Paths of URLs and patterns of robots.txt have one canonical form, in which they are compared octet by octet (RFC
 * 9309, 2.2.2): a string with one unit per octet, however that octet was spelt. A percent-encoded delimiter delimits
 * nothing, so it is a unit of its own, `encodedMark` above the bare one.
 */
const encodedMark = 0x100;
const anyRun = '\u0200';
const end = '\u0201';

const percent = 0x25;
const star = 0x2a;
const dollar = 0x24;
const questionMark = 0x3f;

const pathDelimiters = octetsOf('/?&=+;');
/** After the first `?`, a `/` or `?` delimits nothing: RFC 9309 has `?baz=https://foo.bar` match `?baz=https%3A%2F%2Ffoo.bar`. */
const queryDelimiters = octetsOf('&=+;');

/**
 * The octets that are written as themselves. The others are written as three characters, and so are the two with a
 * meaning in patterns.
 */
const plain = octetsOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!&'()+,;=");

/** The canonical form of a URL's path and query. */
export function canonicalPath(url: URL): string {
  return canonical(`${url.pathname}${url.search}`, 'path');
}

/** The canonical form of a pattern that has one character per octet. A run of `*` counts as one. */
export function canonicalPattern(octets: string): string {
  return canonical(octets, 'pattern');
}

/** How specific a pattern is: the number of octets of its canonical spelling. */
export function octetCount(pattern: string): number {
  let count = 0;
  for (const unit of pattern) count += isPlain(unit) ? 1 : 3;
  return count;
}

/** The canonical spelling of a pattern, for people. */
export function spelled(pattern: string): string {
  return Array.from(pattern, (unit) => (isPlain(unit) ? (specials[unit] ?? unit) : percentEncoded(unit))).join('');
}

/**
 * Whether a pattern matches a path from its first octet on, both in canonical form. Takes time in proportion to the
 * path, whatever the pattern: leftmost finds are enough, and nothing is searched twice.
 */
export function matches(pattern: string, path: string): boolean {
  // No two `*` stand side by side, so this has more octets between them than the path has at all.
  if (pattern.length > 2 * path.length + 2) return false;
  const isWhole = pattern.endsWith(end);
  const [first = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split(anyRun);
  if (!path.startsWith(first)) return false;
  const last = parts.pop();
  if (last === undefined) return !isWhole || path.length === first.length;
  let at = first.length;
  for (const part of isWhole ? parts : [...parts, last]) {
    const found = positionOf(part, path, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return !isWhole || (path.length - at >= last.length && path.endsWith(last));
}

const specials: Readonly<Record<string, string>> = { [anyRun]: '*', [end]: '$' };

function isPlain(unit: string): boolean {
  return plain.has(unit.charCodeAt(0)) || unit in specials;
}

function percentEncoded(unit: string): string {
  const octet = unit.charCodeAt(0) % encodedMark;
  return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
}

function canonical(octets: string, kind: 'path' | 'pattern'): string {
  // A string made of a copy: a slice would keep the whole file in memory.
  const units = new Uint16Array(octets.length);
  let size = 0;
  let delimiters = pathDelimiters;
  for (let at = 0; at < octets.length; at += 1) {
    const written = octets.charCodeAt(at);
    const encoded = written === percent ? hexOctet(octets, at + 1) : undefined;
    if (encoded !== undefined) {
      units[size++] = delimiters.has(encoded) ? encoded + encodedMark : encoded;
      at += 2;
    } else if (kind === 'pattern' && written === star) {
      if (units[size - 1] !== anyRun.charCodeAt(0)) units[size++] = anyRun.charCodeAt(0);
    } else if (kind === 'pattern' && written === dollar && at === octets.length - 1) {
      units[size++] = end.charCodeAt(0);
    } else {
      units[size++] = written;
      if (written === questionMark) delimiters = queryDelimiters;
    }
  }
  return Buffer.from(units.buffer, 0, size * units.BYTES_PER_ELEMENT).toString('utf16le');
}

function hexOctet(text: string, at: number): number | undefined {
  const high = hexDigit(text.charCodeAt(at));
  const low = hexDigit(text.charCodeAt(at + 1));
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function hexDigit(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

/** The length of a part up to which the built-in search is used. Its worst case is the product of both lengths. */
const shortPart = 16;

function positionOf(part: string, path: string, from: number): number {
  if (part.length <= shortPart) return path.indexOf(part, from);
  if (part.length > path.length - from) return -1;
  return knuthMorrisPratt(part, path, from);
}

function knuthMorrisPratt(part: string, path: string, from: number): number {
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = from; at < path.length; at += 1) {
    matched = extended(part, borders, matched, path.charCodeAt(at));
    if (matched === part.length) return at - part.length + 1;
  }
  return -1;
}

/** For each length of a beginning of `part`, the longest shorter beginning that it also ends with. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length + 1);
  let matched = 0;
  for (let at = 1; at < part.length; at += 1) {
    matched = extended(part, borders, matched, part.charCodeAt(at));
    borders[at + 1] = matched;
  }
  return borders;
}

/** How much of the beginning of `part` matches once `unit` follows what matched so far. */
function extended(part: string, borders: Uint32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length] ?? 0;
  return part.charCodeAt(length) === unit ? length + 1 : 0;
}

function octetsOf(characters: string): ReadonlySet<number> {
  return new Set(Buffer.from(characters, 'latin1'));
}
