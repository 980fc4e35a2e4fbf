import { inspect } from 'node:util';

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
  let shown = message;
  let decoded = decode(shown);
  for (const secret of secrets) {
    for (const form of formsOf(secret.reveal())) {
      // Escapes that stand before a form may swallow its beginning, so that it is looked for as it is as well.
      const plain = shown.replaceAll(form, () => word(secret));
      if (plain !== shown) decoded = decode(plain);
      shown = withoutForm(plain, decoded, decode(form).octets, () => word(secret));
      if (shown !== plain) decoded = decode(shown);
    }
  }
  return shown;
}

function withoutForm(message: string, { octets, starts, ends }: Decoded, form: string, word: () => string): string {
  if (form.length < shortestHidden) return message;
  let shown = '';
  let until = 0;
  for (let at = octets.indexOf(form); at !== -1; at = octets.indexOf(form, at + form.length)) {
    shown += message.slice(until, starts[at]) + word();
    until = ends[at + form.length - 1] ?? message.length;
  }
  return shown + message.slice(until);
}

/** Longest first, so that none is cut by another. */
function formsOf(text: string): string[] {
  if (text.length < shortestHidden) return [];
  const encoded = encodeURIComponent(text);
  const forms = [text, encoded, encoded.replaceAll('%20', '+'), JSON.stringify(text).slice(1, -1)];
  forms.push(Buffer.from(text).toString('base64'), new URLSearchParams({ '': text }).toString().slice(1));
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** A text as its octets in UTF-8, one character for each, and where each begins and ends in the text. */
interface Decoded {
  readonly octets: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Resolves the escapes of URLs, also those that are escaped themselves, until none is left. */
function decode(text: string): Decoded {
  const octets: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    for (const octet of octetsOf(character)) {
      starts.push(at);
      ends.push(end);
      octets.push(octet);
      for (let escaped = escapedAtEnd(octets); escaped !== undefined; escaped = escapedAtEnd(octets)) {
        octets.splice(-3, 3, escaped);
        starts.length -= 2;
        ends.splice(-3, 2);
      }
    }
    at = end;
  }
  return { octets: Buffer.from(octets).toString('latin1'), starts, ends };
}

function octetsOf(character: string): Iterable<number> {
  const code = character.charCodeAt(0);
  return code < 0x80 ? [code] : Buffer.from(character);
}

/** The octet that the last three stand for, if they are an escape. */
function escapedAtEnd(octets: readonly number[]): number | undefined {
  if (octets.at(-3) !== 0x25) return undefined;
  const [high, low] = [hexDigit(octets.at(-2)), hexDigit(octets.at(-1))];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function hexDigit(octet = 0): number | undefined {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(octet).toLowerCase());
  return digit === -1 ? undefined : digit;
}
