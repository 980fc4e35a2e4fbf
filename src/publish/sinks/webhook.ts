import { Webhook } from 'standardwebhooks';
import * as z from 'zod';
import { HeaderValue, TokenHeader } from '../../schema/header.ts';
import { isSecretName, SecretRef } from '../../schema/secret-name.ts';
import { strict } from '../../schema/strict.ts';
import { Address, reveal, SecretNames } from '../address.ts';
import { cloudEventHeaders } from '../cloud-event.ts';
import { discordPayload, isDiscordUrl } from '../discord.ts';
import { escapeFor, escapeNames, escapes } from '../escape.ts';
import type { Delivered, Message, SinkKind, SinkPorts } from '../sink.ts';
import { fillJson, fillText, JsonTemplate } from '../template.ts';
import { templateValues } from '../values.ts';
import { isMapping } from '../../schema/mapping.ts';

const Options = strict({
  url: Address,
  /** The secret of the signature, in base64 and perhaps behind `whsec_`; of several, each signs. Default: no signature. */
  secret: SecretNames.exactOptional(),
  /** Further headers. */
  headers: z
    .record(TokenHeader, z.union([HeaderValue, SecretRef]))
    .superRefine(checkHeaders)
    .exactOptional(),
  /** The body: JSON whose texts are templates; one text alone is sent as plain text. Default: the message as it is. */
  body: JsonTemplate.exactOptional(),
  /** The markup for whose readers `body` escapes what expressions give. Default: `slack` or `discord` for addresses there, else `none`. */
  escape: z.enum(escapeNames).exactOptional(),
  /** Whether the receiver may have a private address. */
  allowPrivate: z.boolean().default(false),
});
type Options = z.infer<typeof Options>;

/** Refuses a secret that stands in the file as the value of a header. */
function checkHeaders(headers: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && isSecretName(name))
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'expected a mapping { secret: NAME }, since no secret stands here',
      });
}

/** Posts each message to an address, signed by the Standard Webhooks specification, with the headers of CloudEvents. */
export const webhook: SinkKind<Options> = {
  options: Options,
  doc: 'Posts each message as JSON to an address, signed as Standard Webhooks says, with the headers of CloudEvents. A Discord address gets what Discord shows.',
  templates: ({ body }) => [body],
  open: async (options, ports) => ({
    deliver: (batch, signal) => Promise.all(batch.map((message) => post(message, options, ports, signal))),
    async close() {},
  }),
};

async function post(message: Message, options: Options, ports: SinkPorts, signal: AbortSignal): Promise<Delivered> {
  const { url, secret: names = [], headers = {}, allowPrivate } = options;
  const revealed = await reveal(ports, [url, ...Object.values(headers)], names);
  if (!revealed.ok) return revealed;
  const address = revealed.text(url);
  const { type, text } = bodyOf(message, options, address, ports);
  const signed = signatureOf(message.id, text, names, revealed.secret, ports.clock.now());
  if (!signed.ok) return signed;
  return ports.post(address, {
    headers: {
      'content-type': type,
      ...cloudEventHeaders(message),
      ...signed.headers,
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), revealed.text(value)])),
    },
    body: text,
    allowPrivate,
    signal,
  });
}

function bodyOf(
  message: Message,
  { body, escape: name }: Options,
  address: string,
  ports: SinkPorts,
): { readonly type: string; readonly text: string } {
  const json = (told: unknown) => ({ type: 'application/json', text: JSON.stringify(told) });
  if (body === undefined) return json(isDiscordUrl(address) ? discordPayload(message, ports) : message.body);
  const known = escapeFor(address);
  const escape = escapes[name ?? known];
  const values = templateValues(message, ports);
  if (typeof body === 'string')
    return { type: 'text/plain; charset=utf-8', text: fillText(body, values, message.at, escape) };
  const filled = fillJson(body, values, message.at, escape);
  // Nobody is called by a text of a site, unless the file wants it.
  return json(known === 'discord' && isMapping(filled) ? { allowed_mentions: { parse: [] }, ...filled } : filled);
}

type Signature =
  | { readonly ok: true; readonly headers: Readonly<Record<string, string>> }
  | Extract<Delivered, { readonly ok: false }>;

/** Signs a body with each secret. The headers name the attempt's instant in seconds, so that a receiver can refuse old ones. */
function signatureOf(
  id: string,
  text: string,
  names: readonly string[],
  secret: (name: string) => string,
  now: number,
): Signature {
  const at = new Date(now);
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(now / 1_000)) };
  const signatures: string[] = [];
  for (const name of names) {
    try {
      signatures.push(new Webhook(secret(name)).sign(id, at, text));
    } catch {
      // The library's message could show a part of the secret.
      const message = `the secret ${name} is not the key of a signature: expected base64, perhaps behind "whsec_"`;
      return { ok: false, failure: { code: 'bad_secret', message } };
    }
  }
  return {
    ok: true,
    headers: { ...headers, ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }) },
  };
}
