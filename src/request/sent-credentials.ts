import type { StepOutcome } from '../engine/step.ts';
import { withoutSecrets } from '../session/redact.ts';
import { Secret } from '../session/secret.ts';
import type { SessionHeaders } from './intent.ts';

/** The shortest cookie or hidden value that counts as a secret. Shorter ones give no access, and words like "true" stand in many pages. */
const shortestCookie = 8;

/** How a secret became known: a plug-in read it, a request was sent with it, or only a response set it. */
type Origin = 'read' | 'sent' | 'set';

/** A secret that became known in two ways has the later one of this list. */
const ranks: readonly Origin[] = ['set', 'sent', 'read'];

/** The largest number of secrets of one origin that are kept. */
const most = 500;

/**
 * The largest number of characters of the secrets of one origin: four times the cookies of a session, and twice the headers of one
 * response.
 */
const mostCharacters = 128 * 1024;

/**
 * The credentials that went out for one scrape. They are kept out of what is stored and shown of the scrape, since sites repeat what
 * they were sent, for instance in the addresses that they redirect to.
 *
 * Each text is kept once. Beyond 500 secrets or 128 Ki characters those that were added longest ago go first; those sent and those set
 * are counted apart, so that no site makes what was sent to it forgotten by what it sets. What a plug-in read always stays.
 */
export class SentCredentials {
  /** The secrets by their texts, the newest last. */
  readonly #known = new Map<string, { readonly secret: Secret; readonly origin: Origin }>();
  #all: readonly Secret[] = [];

  /** Whether there is anything to hide. */
  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** Adds the headers of a request's session. */
  note(sent: SessionHeaders): void {
    this.#add(secretsIn(sent), 'sent');
  }

  /** Adds the cookies that a response sets, since later pages may repeat them as well; also of a source without a log-in. */
  noteSet(setCookies: readonly string[]): void {
    this.#add(
      setCookies.flatMap((text) => cookiesIn(text.split(';', 1).join(''))),
      'set',
    );
  }

  /** Adds values that a page had hidden in a form, and that are sent back; they may be tokens. */
  noteHidden(values: readonly string[]): void {
    const long = values.filter(({ length }) => length >= shortestCookie);
    this.#add(
      long.map((value) => new Secret('hidden value', value)),
      'sent',
    );
  }

  /** Adds the secrets that a plug-in reads. */
  noteRead(secrets: Iterable<Secret>): void {
    this.#add([...secrets], 'read');
  }

  /** A text with the name of each secret in its place. */
  text(text: string): string {
    return withoutSecrets(text, this.#all);
  }

  /** An URL with `…` in the place of each secret. What stands before its query, fragment or first `;` is left as it is. */
  url(url: string): string {
    const from = url.search(/[?#;]/);
    if (from === -1 || this.isEmpty) return url;
    return url.slice(0, from) + withoutSecrets(url.slice(from), this.#all, () => '…');
  }

  /** A failure whose message and excerpt repeat no secret. */
  failure<F extends { readonly message: string; readonly excerpt?: string }>(failure: F): F {
    return failureWithout(failure, this.#all);
  }

  /** An outcome to be shown: its redirect cannot be followed any more. */
  outcome(outcome: StepOutcome): StepOutcome {
    if (outcome.kind === 'redirect') return { ...outcome, location: this.url(outcome.location) };
    if (outcome.kind !== 'failed') return outcome;
    return { ...outcome, failure: this.failure(outcome.failure) };
  }

  #add(secrets: readonly Secret[], origin: Origin): void {
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
      // The forms in which the known one is looked for are computed already.
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

/** An outcome whose failure repeats none of the credentials that the request was sent with. */
export function withoutSentCredentials(outcome: StepOutcome, sent: SessionHeaders): StepOutcome {
  if (outcome.kind !== 'failed') return outcome;
  const secrets = secretsIn(sent);
  if (secrets.length === 0) return outcome;
  return { ...outcome, failure: failureWithout(outcome.failure, secrets) };
}

function failureWithout<F extends { readonly message: string; readonly excerpt?: string }>(
  failure: F,
  secrets: readonly Secret[],
): F {
  const { excerpt } = failure;
  const shown = excerpt === undefined ? {} : { excerpt: withoutSecrets(excerpt, secrets) };
  return { ...failure, message: withoutSecrets(failure.message, secrets), ...shown };
}

function secretsIn(sent: SessionHeaders): Secret[] {
  return Object.entries(sent).flatMap(([name, value]) => secretsOf(name, value));
}

function secretsOf(name: string, value: string): Secret[] {
  if (name === 'cookie') return cookiesIn(value);
  const token = value.slice(value.indexOf(' ') + 1);
  const [, pair] = /^Basic (.+)$/.exec(value) ?? [];
  if (pair === undefined) return [new Secret(name, token)];
  const password = Buffer.from(pair, 'base64')
    .toString()
    .replace(/^[^:]*:/, '');
  return [new Secret(name, token), new Secret('password', password)];
}

function cookiesIn(header: string): Secret[] {
  const values = header.split('; ').map((pair) => unquoted(pair.slice(pair.indexOf('=') + 1).trim()));
  return values.filter(({ length }) => length >= shortestCookie).map((value) => new Secret('cookie', value));
}

function unquoted(value: string): string {
  return /^"(.*)"$/.exec(value)?.[1] ?? value;
}
