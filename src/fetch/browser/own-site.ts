import { isIP } from 'node:net';
import { getPublicSuffix } from 'tough-cookie';

/**
 * Whether the page at `pageUrl` may ask a host: that of its own site, which is all below the domain that somebody registered,
 * and those it is allowed. Names without a registered domain, such as addresses, are a site each.
 */
export function siteRule(pageUrl: string, hosts: readonly string[] = []): (host: string) => boolean {
  const allowed = [registered(bareHost(new URL(pageUrl))), ...hosts];
  return (host) => allowed.some((each) => host === each || (isIP(each) === 0 && host.endsWith(`.${each}`)));
}

/** The host of an URL, without the brackets of IPv6. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function registered(host: string): string {
  if (isIP(host) !== 0) return host;
  return getPublicSuffix(host, { allowSpecialUseDomain: true, ignoreError: true }) ?? host;
}
