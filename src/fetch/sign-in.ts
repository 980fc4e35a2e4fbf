import { bareHost, siteRule } from './browser/own-site.ts';

/** Parts of paths by which sites call their sign-in pages, with what comes before and after in some. */
const names = /^(?:wp-|user-?|account-?)?(?:log[-_]?[io]n|sign[-_]?[io]n|authenticate)(?:\.\w{1,5})?$/i;

/** What a site also writes about: it leads to a sign-in only where the path ends with it. */
const lastNames = /^(?:auth|authentication)(?:\.\w{1,5})?$/i;

/**
 * Whether a redirect leads to what looks like the sign-in of the same site, which will lead back to the page that was asked
 * for: its path says so, and its query names the page. Who asks for a sign-in page itself is led wherever it leads.
 */
export function leadsToSignIn(from: string, to: string): boolean {
  const [page, target] = [URL.parse(from), URL.parse(to)];
  if (page === null || target === null || isSignIn(page) || !isSignIn(target)) return false;
  return (
    siteRule(page.href)(bareHost(target)) &&
    [...target.searchParams.values()].some((value) => value.trim() !== '' && namesPage(value, page))
  );
}

function isSignIn({ pathname }: URL): boolean {
  const parts = pathname.split('/').filter((part) => part !== '');
  return parts.some((part) => names.test(part)) || lastNames.test(parts.at(-1) ?? '');
}

/** As a whole URL, or as a path with or without its first slash; what stands in its own query does not matter. */
function namesPage(value: string, page: URL): boolean {
  return [value, `/${value}`].some((text) => {
    const named = URL.parse(text, page.origin);
    return named !== null && named.host === page.host && bare(named) === bare(page);
  });
}

function bare({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}
