import { inspect } from 'node:util';

/**
 * A text that must not be shown. Printed, logged or written as JSON it shows its name; only `reveal` returns the text.
 */
export class Secret {
  readonly name: string;
  readonly #text: string;

  constructor(name: string, text: string) {
    this.name = name;
    this.#text = text;
  }

  /** The text itself. Called only where it is sent or sealed. */
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
