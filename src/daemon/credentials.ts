import type { StepOutcome } from '../engine/step.ts';
import type { TriedStep } from '../scrape/try.ts';
import { Secret, withoutSecrets } from '../session/secret.ts';
import type { Close, StepOps } from '../store/ops.ts';
import type { Failure } from '../store/rows.ts';
import { RememberedSecrets } from './remembered.ts';

/** A cookie of less is no key to anything, and words like "true" stand in many pages. */
const shortestCookie = 8;

/** An outcome that repeats none of the credentials it was asked with: a site may say what it was sent. */
export function withoutCredentials(outcome: StepOutcome, sent: Readonly<Record<string, string>>): StepOutcome {
  if (outcome.kind !== 'failed') return outcome;
  const secrets = secretsIn(sent);
  if (secrets.length === 0) return outcome;
  return { ...outcome, failure: failureWithout(outcome.failure, secrets) };
}

/**
 * The credentials that went out for one scrape, to be kept out of what is stored and shown of it: sites put what they were
 * sent into the addresses that they redirect to.
 */
export class SentCredentials {
  readonly #secrets = new RememberedSecrets();

  /** Takes in the headers of a request's session. */
  note(sent: Readonly<Record<string, string>>): void {
    this.#secrets.add(secretsIn(sent), 'sent');
  }

  /** Takes in the cookies that an answer sets, which it may repeat as well; a visit without a log-in is told by them, too. */
  noteSet(setCookies: readonly string[]): void {
    const cookies = setCookies.flatMap((text) => cookiesIn(text.split(';', 1).join('')));
    this.#secrets.add(cookies, 'set');
  }

  /** Takes in the secrets that a plug-in was told. */
  tell(secrets: Iterable<Secret>): void {
    this.#secrets.add([...secrets], 'told');
  }

  /** A text of any kind. */
  text(text: string): string {
    return withoutSecrets(text, this.#secrets.all);
  }

  /** An URL with `…` in the place of credentials; before its query, where a page's own name stands, it is as it was. */
  url(url: string): string {
    const from = url.search(/[?#;]/);
    if (from === -1 || this.#secrets.all.length === 0) return url;
    return url.slice(0, from) + withoutSecrets(url.slice(from), this.#secrets.all, () => '…');
  }

  /** What a scrape writes of a step. */
  ops(ops: StepOps): StepOps {
    if (this.#secrets.all.length === 0) return ops;
    const { reach, ...others } = ops;
    const { log, close } = others;
    const { notes } = log;
    const told = notes && { notes: notes.map((note) => this.text(note)) };
    return {
      ...others,
      // A place without its credentials would lead nowhere.
      ...(reach !== undefined && { reach: this.#holds(reach) ? 'none' : reach }),
      log: { ...log, url: this.url(log.url), ...this.#failure(log), ...told },
      ...(close !== undefined && { close: this.close(close) }),
    };
  }

  #holds(value: unknown): boolean {
    const text = JSON.stringify(value);
    return this.text(text) !== text;
  }

  /** What a trial tells of a step. */
  tried(step: TriedStep): TriedStep {
    const { asked, decision } = step;
    return {
      ...step,
      url: this.url(step.url),
      asked: {
        ...asked,
        outcome: this.outcome(asked.outcome),
        ...(asked.trouble && { trouble: { ...asked.trouble, message: this.text(asked.trouble.message) } }),
      },
      decision:
        decision.do === 'follow'
          ? { ...decision, url: this.url(decision.url) }
          : decision.do === 'fail'
            ? { ...decision, failure: failureWithout(decision.failure, this.#secrets.all) }
            : decision,
    };
  }

  /** An outcome that is only told, since nobody could follow a redirect of it. */
  outcome(outcome: StepOutcome): StepOutcome {
    if (outcome.kind === 'redirect') return { ...outcome, location: this.url(outcome.location) };
    if (outcome.kind !== 'failed') return outcome;
    return { ...outcome, failure: failureWithout(outcome.failure, this.#secrets.all) };
  }

  /** How a scrape is said to have ended. */
  close(close: Close): Close {
    const { copy, gap, crawl, ...others } = close;
    return {
      ...others,
      ...(crawl !== undefined && { crawl: this.#crawlEnd(crawl) }),
      ...this.#failure(close),
      // With another address its page would never be asked for again.
      ...(copy !== undefined && this.url(copy.url) === copy.url && { copy }),
      ...(gap !== undefined && { gap: { ...gap, url: this.url(gap.url) } }),
    };
  }

  /** Sites that write their sessions into links are crawled without end. */
  #crawlEnd({ loop, ...end }: NonNullable<Close['crawl']>): NonNullable<Close['crawl']> {
    if (loop === undefined) return end;
    const samples = loop.samples.map((url) => this.url(url));
    return { ...end, loop: { ...loop, template: this.text(loop.template), samples } };
  }

  #failure({ failure }: { readonly failure?: Failure }): { readonly failure?: Failure } {
    return failure === undefined ? {} : { failure: failureWithout(failure, this.#secrets.all) };
  }
}

function failureWithout<F extends { readonly message: string; readonly excerpt?: string }>(
  failure: F,
  secrets: Iterable<Secret>,
): F {
  const all = [...secrets];
  const { excerpt } = failure;
  const shown = excerpt === undefined ? {} : { excerpt: withoutSecrets(excerpt, all) };
  return { ...failure, message: withoutSecrets(failure.message, all), ...shown };
}

function secretsIn(sent: Readonly<Record<string, string>>): Secret[] {
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
