import { isIP } from 'node:net';
import { getPublicSuffix } from 'tough-cookie';

/**
 * Returns a function that tells whether the page at `pageUrl` may request from a host: the page's own site, which is
 * its registered domain and all hosts below, and the hosts allowed with all below them. A host without a registered
 * domain, such as an IP address, is a site of its own. Throws for an invalid URL.
 */
export function siteRule(pageUrl: string, hosts: readonly string[] = []): (host: string) => boolean {
  const allowed = [registered(bareHost(new URL(pageUrl))), ...hosts];
  return (host) => allowed.some((each) => host === each || (isIP(each) === 0 && host.endsWith(`.${each}`)));
}

/** The host of a URL, without the brackets of IPv6. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function registered(host: string): string {
  if (isIP(host) !== 0) return host;
  return getPublicSuffix(host, { allowSpecialUseDomain: true, ignoreError: true }) ?? host;
}

/** An address, or what should be one, without user name and password, which belong to no page. */
export function withoutUser(address: string): string {
  const url = URL.parse(address);
  // What cannot be parsed is shown to people all the same.
  if (url === null) return address.replace(/^(\s*(?:[a-z][a-z\d+.-]*:)?[/\\]{2})[^/?#\\]*@/i, '$1');
  if (url.username === '' && url.password === '') return address;
  url.username = '';
  url.password = '';
  return url.href;
}
