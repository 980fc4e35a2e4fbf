import type { Secret } from '../session/secret.ts';

/** How a secret came to be known: a plug-in was told it, a request was sent with it, or only an answer set it. */
export type Origin = 'told' | 'sent' | 'set';

/** No more are remembered of those sent, nor of those set. */
const most = 500;

/** Nor more characters: four times the cookies that a session holds, and twice what the headers of one answer may set. */
const mostCharacters = 128 * 1024;

const ranks: readonly Origin[] = ['set', 'sent', 'told'];

/**
 * Secrets of one scrape, each text once. Beyond the limits those that were added longest ago go first, those sent and those set
 * apart from each other, so that no site makes what was sent to it forgotten by what it sets. What a plug-in was told stays.
 */
export class RememberedSecrets {
  /** By their texts, those added last at the end. */
  readonly #known = new Map<string, { readonly secret: Secret; readonly origin: Origin }>();
  #all: readonly Secret[] = [];

  /** In the order in which they were last added. */
  get all(): readonly Secret[] {
    return this.#all;
  }

  add(secrets: readonly Secret[], origin: Origin): void {
    if (secrets.length === 0) return;
    for (const secret of secrets) this.#addOne(secret, origin);
    this.#forget('sent');
    this.#forget('set');
    this.#all = Array.from(this.#known.values(), ({ secret }) => secret);
  }

  #addOne(secret: Secret, origin: Origin): void {
    const text = secret.reveal();
    const known = this.#known.get(text);
    this.#known.delete(text);
    this.#known.set(text, {
      // The one that is known has its forms computed.
      secret: known?.secret.name === secret.name ? known.secret : secret,
      origin: known !== undefined && ranks.indexOf(known.origin) > ranks.indexOf(origin) ? known.origin : origin,
    });
  }

  #forget(origin: Origin): void {
    let count = 0;
    let characters = 0;
    for (const [text, known] of [...this.#known].reverse()) {
      if (known.origin !== origin) continue;
      count += 1;
      characters += text.length;
      if (count > most || characters > mostCharacters) this.#known.delete(text);
    }
  }
}
