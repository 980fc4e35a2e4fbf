import type { StepOutcome } from '../engine/step.ts';
import { Secret, withoutSecrets } from '../session/secret.ts';

/** A cookie of less is no key to anything, and words like "true" stand in many pages. */
const shortestCookie = 8;

/** An outcome that repeats none of the credentials it was asked with: a site may say what it was sent. */
export function withoutCredentials(outcome: StepOutcome, sent: Readonly<Record<string, string>>): StepOutcome {
  if (outcome.kind !== 'failed') return outcome;
  const secrets = Object.entries(sent).flatMap(([name, value]) => secretsOf(name, value));
  if (secrets.length === 0) return outcome;
  const { message, excerpt, ...failure } = outcome.failure;
  const shown = excerpt === undefined ? {} : { excerpt: withoutSecrets(excerpt, secrets) };
  return { ...outcome, failure: { ...failure, message: withoutSecrets(message, secrets), ...shown } };
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
  const values = header.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1));
  return values.filter(({ length }) => length >= shortestCookie).map((value) => new Secret('cookie', value));
}
