import { inspect } from 'node:util';
import { decode } from './decode.ts';

/** Texts shorter than this are not looked for in messages: they would be found everywhere. */
const shortestHidden = 4;

/** A text that must not be shown. Printed, logged or written as JSON it is its name; only `reveal` gives it. */
export class Secret {
  readonly name: string;
  readonly #text: string;

  constructor(name: string, text: string) {
    this.name = name;
    this.#text = text;
  }

  /** Called where the text is sent or sealed, and nowhere else. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return `[secret ${this.name}]`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

/** A message with the name of each secret, or another word, in its place, also where either stands encoded for an URL or a form, in whatever way. */
export function withoutSecrets(
  message: string,
  secrets: Iterable<Secret>,
  word: (secret: Secret) => string = String,
): string {
  const all = [...secrets];
  const places = placesIn(message, all);
  if (places.size === 0) return message;
  // Escapes that a place cuts may have swallowed the beginning or the end of another.
  const isCut = message.includes('%');
  const between = (text: string): string => (isCut ? withoutSecrets(text, all, word) : text);
  let shown = '';
  let until = 0;
  for (const [from, place] of [...places].sort(([a], [b]) => a - b)) {
    if (from >= until) shown += between(message.slice(until, from)) + word(place.secret);
    until = Math.max(until, place.until);
  }
  return shown + between(message.slice(until));
}

/** What stands in a message from somewhere on. */
interface Place {
  readonly secret: Secret;
  readonly until: number;
}

/** By where they begin; of several that begin at one place, the longest. They may overlap. */
function placesIn(message: string, secrets: readonly Secret[]): ReadonlyMap<number, Place> {
  const places = new Map<number, Place>();
  if (message.length < shortestHidden) return places;
  const { octets, starts, ends } = decode(message);
  for (const secret of secrets) {
    if (isTooLong(secret, message)) continue;
    const add = (from: number, until: number): void => {
      if (until > (places.get(from)?.until ?? 0)) places.set(from, { secret, until });
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
  return places;
}

const nowhere: readonly number[] = [];

function occurrences(form: string, text: string): readonly number[] {
  let at = text.indexOf(form);
  if (at === -1) return nowhere;
  const found: number[] = [];
  for (; at !== -1; at = text.indexOf(form, at + form.length)) found.push(at);
  return found;
}

/** One way in which a secret may stand in a text: as it is written, and with all escapes of URLs resolved. */
interface Form {
  readonly text: string;
  readonly octets: string;
}

/** Computed when a secret is first looked for: many texts are searched for many of them. */
const knownForms = new WeakMap<Secret, readonly Form[]>();

/** Whether a message is too short for a secret in any form: only escapes within the secret itself make one of them shorter. */
function isTooLong(secret: Secret, message: string): boolean {
  const text = secret.reveal();
  return text.length > message.length && !text.includes('%');
}

/** Longest first, so that none is cut by another. */
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
