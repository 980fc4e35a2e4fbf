import { isIP } from 'node:net';
import * as z from 'zod';
import { expected } from '../schema/expected.ts';
import { strict } from '../schema/strict.ts';
import { isLoopbackUrl } from './loopback.ts';

const Path = z.string().min(1);

const Host = z
  .string()
  .refine((text) => text === 'localhost' || isIP(text) !== 0, expected('an address of this machine, as 0.0.0.0'));

/** A name or an address by which a browser asks, without a port. */
const Name = z
  .string()
  .toLowerCase()
  .refine((text) => URL.parse(`https://${text}/`)?.hostname === text, expected('a name such as heronry.example'));

const Range = z.string().refine(isRange, expected('an address, or a range as 10.0.0.0/8'));

/** Where browsers find the daemon behind a proxy. Kept without a slash at its end. */
const PublicUrl = z
  .string()
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && /^https?:$/.test(url.protocol) && url.href.replace(/\/$/, '') === text.replace(/\/$/, '');
  }, expected('an URL such as https://example.org/heronry'))
  .refine((text) => /^[a-z]+:\/\/[^/?#@]+(?:\/[\w.~-]+)*\/?$/.test(text), expected('an URL without query and user'))
  .transform((text) => text.replace(/\/$/, ''));

/** Where an API process finds its daemon. Kept without a slash at its end. */
const DaemonOrigin = z
  .string()
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, '');
  }, expected('an URL without a path, such as https://daemon.example:7437'))
  .transform((text) => text.replace(/\/$/, ''));

const Settings = strict({
  /** Another address than one of loopback needs `tls`, or `behindProxy` with a public address of `https:`. */
  host: Host.default('127.0.0.1'),
  port: z.int().min(1).max(65_535).default(7437),
  /** Refuses every change. */
  readOnly: z.boolean().default(false),
  /** Names by which it is asked over TLS, besides those of loopback. */
  names: z.array(Name).readonly().exactOptional(),
  /** PEM files. They are read again when they have changed. */
  tls: strict({ cert: Path, key: Path }).exactOptional(),
  /** The addresses of proxies whose `X-Forwarded-…` headers are believed, and where these serve the daemon. */
  behindProxy: strict({ trusted: z.array(Range).min(1).readonly(), publicUrl: PublicUrl }).exactOptional(),
  /** The HTTP server of a daemon, to which `heronry start --role api` passes on what it is asked. Default: this is the daemon. */
  daemon: DaemonOrigin.exactOptional(),
});

/** Where HTTP is served, and to whom. */
export const HttpSettings = Settings.superRefine(
  ({ host, names = [], tls, behindProxy, daemon, readOnly }, context) => {
    const isWide = !isLoopbackUrl(`http://${host.includes(':') ? `[${host}]` : host}`);
    if (isWide && tls === undefined && behindProxy === undefined)
      context.addIssue({
        code: 'custom',
        path: ['host'],
        message: `expected an address of loopback, or \`tls\` or \`behindProxy\` beside it, got ${JSON.stringify(host)}: tokens would be sent in the clear`,
      });
    const publicUrl = behindProxy?.publicUrl;
    if (isWide && tls === undefined && publicUrl?.startsWith('http:') === true)
      context.addIssue({
        code: 'custom',
        path: ['behindProxy', 'publicUrl'],
        message: `expected an address of https: beside another \`host\` than one of loopback, got ${JSON.stringify(publicUrl)}: tokens would be sent in the clear`,
      });
    if (names.length > 0 && tls === undefined)
      context.addIssue({ code: 'custom', path: ['names'], message: 'expected `tls` beside it' });
    if (daemon?.startsWith('http:') === true && !isLoopbackUrl(daemon))
      context.addIssue({
        code: 'custom',
        path: ['daemon'],
        message: `expected an URL of https:, or of loopback, got ${JSON.stringify(daemon)}: tokens would be sent in the clear`,
      });
    if (daemon !== undefined && readOnly)
      context.addIssue({
        code: 'custom',
        path: ['readOnly'],
        message: 'expected it in the configuration of the daemon, which judges what may be changed',
      });
    if (isWide && tls !== undefined && names.length === 0 && behindProxy === undefined)
      context.addIssue({
        code: 'custom',
        path: ['names'],
        message: 'missing, expected the names by which browsers ask',
      });
  },
);
export type HttpSettings = z.infer<typeof HttpSettings>;

function isRange(text: string): boolean {
  const [address = '', length, more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more !== undefined) return false;
  if (length === undefined) return true;
  return /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128);
}
