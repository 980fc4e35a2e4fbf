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

/** A message with the name of each secret, or another word, in its place, also where it stands encoded for an URL or a form. */
export function withoutSecrets(
  message: string,
  secrets: Iterable<Secret>,
  word: (secret: Secret) => string = String,
): string {
  let shown = message;
  for (const secret of secrets) {
    for (const form of formsOf(secret.reveal())) shown = shown.replaceAll(form, word(secret));
  }
  return shown;
}

/** Longest first, so that none is cut by another. */
function formsOf(text: string): string[] {
  if (text.length < shortestHidden) return [];
  const encoded = encodeURIComponent(text);
  const forms = [text, encoded, encoded.replaceAll('%20', '+'), JSON.stringify(text).slice(1, -1)];
  forms.push(Buffer.from(text).toString('base64'), new URLSearchParams({ '': text }).toString().slice(1));
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}
