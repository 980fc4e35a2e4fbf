import { isIPv4 } from 'node:net';
import type { Source } from './source.ts';

/**
 * Whether an URL names this machine itself: by a literal address of 127.0.0.0/8, by `[::1]`, or by `localhost`. Any other name may
 * lead anywhere, however it begins. Throws a `TypeError` if `url` is no URL.
 */
export function isLoopbackUrl(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
}

/** Returns the private addresses that a request of a source may reach. `allowPrivate: loopback` holds for URLs that name this machine alone. */
export function privateReach({ allowPrivate }: Pick<Source, 'allowPrivate'>, url: string): boolean | 'loopback' {
  return allowPrivate === 'loopback' ? isLoopbackUrl(url) && allowPrivate : allowPrivate;
}
