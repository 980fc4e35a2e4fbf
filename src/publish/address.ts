import * as z from 'zod';
import { got } from '../schema/expected.ts';
import { faultCheck } from '../schema/checked-text.ts';
import { isSecretName, SecretName, SecretRef } from '../schema/secret-name.ts';
import type { DeliveryFailure, SinkPorts } from './sink.ts';
import { decoded } from '../schema/decoded.ts';

/** The address of a receiver: as it stands, or by the name of a secret where whoever knows it may write there. */
export const Address = addressOf(['http', 'https'], false);

/** An address, or a header's value, as a file has it. */
export type Named = string | { readonly secret: string };

/** The address of a server that speaks one of some protocols, perhaps with a user's name. Its password is a secret, or the whole address is. */
export function serverAddress(protocols: readonly string[]) {
  return addressOf(protocols, true);
}

function addressOf(protocols: readonly string[], hasUser: boolean) {
  const what = `an ${protocols.join(' or ')} URL`;
  const fault = (text: string): string | undefined => {
    const url = URL.parse(text);
    // What is no URL may be a secret all the same.
    if (url === null || url.hostname === '') return `expected ${what}, or { secret: NAME }`;
    if (!protocols.includes(url.protocol.slice(0, -1))) return got(text, `${what}, or { secret: NAME }`);
    const whole = 'name a secret that is the whole address';
    const parameter = Array.from(url.searchParams.keys()).find(isSecretName);
    if (parameter !== undefined)
      return `expected ${what} without a secret, got one in the parameter "${parameter}": ${hasUser ? 'name it under "password", or ' : ''}${whole}`;
    if (url.password === '' && (hasUser || url.username === '')) return undefined;
    return hasUser
      ? `expected ${what} without a password: name its secret under "password"`
      : `expected ${what} without user name and password: ${whole}`;
  };
  return z.union([z.string().max(2_083).superRefine(faultCheck(fault)), SecretRef]);
}

/** Names of one secret or several: the newest first, and those before it as long as receivers know them alone. */
export const SecretNames = z.union([SecretName.transform((name) => [name]), z.array(SecretName).min(1).max(4)]);

/** The revealed texts of addresses and header values, or why one is missing. */
export type Revealed =
  | { readonly ok: true; text(named: Named): string; secret(name: string): string }
  | { readonly ok: false; readonly failure: DeliveryFailure };

/** Looks up the secrets among what files name. */
export async function reveal(
  ports: Pick<SinkPorts, 'findSecrets'>,
  given: readonly (Named | undefined)[],
  names: readonly string[] = [],
): Promise<Revealed> {
  const wanted = given.flatMap((each) => (typeof each === 'object' ? [each.secret] : []));
  const found = await ports.findSecrets([...new Set([...wanted, ...names])]);
  if (!found.ok) return { ok: false, failure: { code: 'secret_missing', message: found.message } };
  const secret = (name: string): string => found.secrets.get(name)?.reveal() ?? '';
  return { ok: true, secret, text: (named) => (typeof named === 'string' ? named : secret(named.secret)) };
}

/** A server of a sink as its file names it. */
export interface ServerOptions {
  readonly url: Named;
  readonly password?: string;
}

/** The address of a server with its password, or why it is not known. */
export type RevealedServer =
  | { readonly ok: true; readonly url: URL; hide(text: string): string }
  | { readonly ok: false; readonly failure: DeliveryFailure };

/** Looks up the address of a server and its password. */
export async function revealServer(
  ports: Pick<SinkPorts, 'findSecrets'>,
  { url: named, password }: ServerOptions,
): Promise<RevealedServer> {
  const revealed = await reveal(ports, [named], password === undefined ? [] : [password]);
  if (!revealed.ok) return revealed;
  const url = URL.parse(revealed.text(named));
  if (url === null) {
    const of = typeof named === 'string' ? 'the address' : `the secret ${named.secret}`;
    return { ok: false, failure: { code: 'bad_secret', message: `${of} is no URL` } };
  }
  if (password !== undefined) url.password = encodeURIComponent(revealed.secret(password));
  const hidden = [...new Set([url.password, decoded(url.password)])].filter((text) => text !== '');
  return { ok: true, url, hide: (text) => hidden.reduce((left, each) => left.replaceAll(each, '[secret]'), text) };
}
