import type { Secret } from './secret.ts';

/** Shorter secrets are not looked for: they would be found everywhere. */
const shortestHidden = 4;

/**
 * Replaces each secret in a message by its name, or by `word`. Finds secrets in every encoding of URLs, forms, JSON and
 * base64, nested ones too.
 */
export function withoutSecrets(
  message: string,
  secrets: Iterable<Secret>,
  word: (secret: Secret) => string = String,
): string {
  const all = [...secrets];
  const found = occurrencesIn(message, all);
  if (found.size === 0) return message;
  // An escape that is cut at an occurrence may have swallowed the beginning or the end of another.
  const isCut = message.includes('%');
  const between = (text: string): string => (isCut ? withoutSecrets(text, all, word) : text);
  let shown = '';
  let until = 0;
  for (const [from, each] of [...found].sort(([a], [b]) => a - b)) {
    if (from >= until) shown += between(message.slice(until, from)) + word(each.secret);
    until = Math.max(until, each.until);
  }
  return shown + between(message.slice(until));
}

/** A secret within a message, up to `until`. */
interface Occurrence {
  readonly secret: Secret;
  readonly until: number;
}

/** The secrets within a message by their first index; where several begin, the longest. They may overlap. */
function occurrencesIn(message: string, secrets: readonly Secret[]): ReadonlyMap<number, Occurrence> {
  const found = new Map<number, Occurrence>();
  if (message.length < shortestHidden) return found;
  const { octets, starts, ends } = decode(message);
  for (const secret of secrets) {
    if (isTooLong(secret, message)) continue;
    const add = (from: number, until: number): void => {
      if (until > (found.get(from)?.until ?? 0)) found.set(from, { secret, until });
    };
    for (const form of formsOf(secret)) {
      // Escapes that stand before a form may swallow its beginning, so that it is looked for as it is as well.
      for (const at of occurrences(form.text, message)) add(at, at + form.text.length);
      if (form.octets.length < shortestHidden || (octets === message && form.octets === form.text)) continue;
      for (const at of occurrences(form.octets, octets)) {
        const last = at + form.octets.length - 1;
        add(starts?.[at] ?? at, ends?.[last] ?? last + 1);
      }
    }
  }
  return found;
}

const nowhere: readonly number[] = [];

function occurrences(form: string, text: string): readonly number[] {
  let at = text.indexOf(form);
  if (at === -1) return nowhere;
  const found: number[] = [];
  for (; at !== -1; at = text.indexOf(form, at + form.length)) found.push(at);
  return found;
}

/** One way to write a secret: its text, and the same with all URL escapes resolved. */
interface Form {
  readonly text: string;
  readonly octets: string;
}

/** The forms of secrets that were looked for before, since many texts are searched for them. */
const knownForms = new WeakMap<Secret, readonly Form[]>();

/**
 * Whether a secret cannot stand in a message for its length. Only escapes within the secret itself can make it shorter
 * than its text.
 */
function isTooLong(secret: Secret, message: string): boolean {
  const text = secret.reveal();
  return text.length > message.length && !text.includes('%');
}

/** The forms of a secret, the longest first, so that none is cut by another. */
function formsOf(secret: Secret): readonly Form[] {
  const known = knownForms.get(secret);
  if (known !== undefined) return known;
  const texts = textsOf(secret.reveal()).sort((a, b) => b.length - a.length);
  const forms = texts.map((text) => ({ text, octets: decode(text).octets }));
  knownForms.set(secret, forms);
  return forms;
}

function textsOf(text: string): string[] {
  if (text.length < shortestHidden) return [];
  const base64 = Buffer.from(text).toString('base64');
  // Nothing here is encoded by anything else.
  if (/^[\w.-]*$/.test(text)) return [text, base64];
  // Half a pair of surrogates, which has no encoding, is sent as U+FFFD.
  const encoded = encodeURIComponent(text.toWellFormed());
  const texts = [text, encoded, encoded.replaceAll('%20', '+'), JSON.stringify(text).slice(1, -1), base64];
  texts.push(new URLSearchParams({ '': text }).toString().slice(1));
  return [...new Set(texts)];
}

/**
 * A text as octets of UTF-8, one character each. `starts` and `ends` give the place of each octet in the text; missing
 * where the text is its own octets.
 */
export interface Decoded {
  readonly octets: string;
  readonly starts?: Uint32Array;
  readonly ends?: Uint32Array;
}

const percent = 0x25;

/** Resolves URL escapes repeatedly until none is left. */
function decode(text: string): Decoded {
  if (!/[%\u0080-\uffff]/.test(text)) return { octets: text };
  // Written over from its beginning: what is resolved is never longer than what was read.
  const octets = Buffer.from(text);
  const starts = new Uint32Array(octets.length);
  const ends = new Uint32Array(octets.length);
  let length = 0;
  let at = 0;
  for (let read = 0; read < octets.length;) {
    const size = sizeAt(octets, read);
    const end = at + (size === 4 ? 2 : 1);
    for (const next = read + size; read < next; read += 1) {
      octets[length] = octets[read] ?? 0;
      starts[length] = at;
      ends[length] = end;
      length += 1;
      for (let escaped = escapedAt(octets, length); escaped !== undefined; escaped = escapedAt(octets, length)) {
        length -= 2;
        octets[length - 1] = escaped;
        ends[length - 1] = end;
      }
    }
    at = end;
  }
  return { octets: octets.toString('latin1', 0, length), starts, ends };
}

/** The number of octets of a character, by its first octet. */
function sizeAt(octets: Uint8Array, at: number): number {
  const first = octets[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** The octet for which the three octets before `end` stand if they are an escape. */
function escapedAt(octets: Uint8Array, end: number): number | undefined {
  if (octets[end - 3] !== percent) return undefined;
  const [high, low] = [hexDigit(octets[end - 2]), hexDigit(octets[end - 1])];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function hexDigit(octet = 0): number | undefined {
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30;
  const small = octet | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : undefined;
}
