import type { StepOutcome } from '../engine/step.ts';
import { Secret, withoutSecrets } from '../session/secret.ts';

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
  if (name === 'cookie')
    return value.split('; ').map((pair) => new Secret('cookie', pair.slice(pair.indexOf('=') + 1)));
  const token = value.slice(value.indexOf(' ') + 1);
  const [, pair] = /^Basic (.+)$/.exec(value) ?? [];
  const password =
    pair === undefined
      ? ''
      : Buffer.from(pair, 'base64')
          .toString()
          .replace(/^[^:]*:/, '');
  return [new Secret('password', password), new Secret(name, token)];
}
