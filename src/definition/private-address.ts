import { isIP } from 'node:net';
import { isLoopbackUrl } from './loopback.ts';

/** What a definition has to allow for an address: `allowPrivate` for one that is private by its look, nothing for any other. */
export function reachOf(url: string): { readonly allowPrivate?: true | 'loopback' } {
  if (isLoopbackUrl(url)) return { allowPrivate: 'loopback' };
  const { hostname } = new URL(url);
  const isPrivate =
    isIP(hostname) === 4
      ? /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254)\./.test(hostname)
      : /^\[f[cde]/.test(hostname) ||
        !/[.\]]/.test(hostname) ||
        /\.(?:local|lan|home|internal|home\.arpa)$/.test(hostname);
  return isPrivate ? { allowPrivate: true } : {};
}
