/** The parts of an answer by which a challenge is recognised. */
export interface Answer {
  readonly status?: number;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The first kilobytes of the body, as text. */
  readonly excerpt?: string;
}

/**
 * The number of characters of an answer that are searched. Challenges show within it, and it bounds the time of the
 * patterns.
 */
export const maxAnswerUnits = 16_384;

/** How the answers of one protection product are recognised. */
interface Signature {
  readonly name: string;
  /** A header that the product sends with such answers only. */
  readonly header?: readonly [name: string, value: RegExp];
  /** Text of the product's own pages that it does not add to the pages of its sites. */
  readonly body?: RegExp;
}

/**
 * Taken from the products' documentation and from what all of their own pages hold. Left out is what they also add to
 * content: `/cdn-cgi/challenge-platform/`, `/_Incapsula_Resource`, `_pxAppId`, widgets of captchas.
 */
const signatures: readonly Signature[] = [
  {
    name: 'Cloudflare',
    header: ['cf-mitigated', /^challenge$/i],
    body: /window\._cf_chl_opt|<title>Just a moment\.\.\.<\/title>|<title>Attention Required! \| Cloudflare<\/title>|id="cf-error-details"[^]{0,2000}(?:you have been blocked|error code: 10[012]\d)/i,
  },
  { name: 'AWS WAF', header: ['x-amzn-waf-action', /^(?:challenge|captcha)$/i], body: /window\.gokuProps\s*=/ },
  {
    name: 'Vercel',
    header: ['x-vercel-mitigated', /^(?:challenge|deny)$/i],
    body: /<title>Vercel Security Checkpoint</i,
  },
  { name: 'DataDome', body: /<script[^>]{0,200}>\s{0,20}var dd\s*=\s*\{[^]{0,1500}captcha-delivery\.com/i },
  { name: 'HUMAN', body: /id=["']px-captcha["']/i },
  {
    name: 'Imperva',
    body: /Request unsuccessful\. Incapsula incident ID|<iframe[^>]{1,300}_Incapsula_Resource[^>]{1,300}CWUDNSAI/i,
  },
  {
    name: 'Akamai',
    body: /errors\.edgesuite\.net\/[\d.a-f]+|<title>Access Denied<\/title>[^]{0,600}Reference\s*(?:#|&#35;)/i,
  },
  {
    name: 'Sucuri',
    header: ['x-sucuri-block', /./],
    body: /<title>Sucuri WebSite Firewall - Access Denied|sucuri_cloudproxy_js/i,
  },
  { name: 'DDoS-Guard', body: /<title>DDoS-Guard<\/title>|\/\.well-known\/ddos-guard\/js-challenge\//i },
  {
    name: 'F5',
    body: /The requested URL was rejected\. Please consult with your administrator\.[^]{0,200}support ID is/i,
  },
  { name: 'Anubis', body: /\/\.within\.website\/x\/cmd\/anubis\/[^]{0,4000}(?:anubis_challenge|not a bot)/i },
];

/** The protection product that answered in place of the site, by its signature; `undefined` for content. */
export function knownChallenge({ headers = {}, excerpt = '' }: Answer): string | undefined {
  return signatures.find(
    ({ header, body }) => (header !== undefined && header[1].test(headers[header[0]] ?? '')) || body?.test(excerpt),
  )?.name;
}

const signHeaders: readonly string[] = [
  'content-type',
  ...signatures.flatMap(({ header }) => (header === undefined ? [] : [header[0]])),
];

/** The headers of an answer that a signature may name. */
export function signsIn(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  let signs: Record<string, string> | undefined;
  for (const name of signHeaders) {
    const value = headers[name];
    if (value !== undefined) (signs ??= {})[name] = value.slice(0, maxSignLength);
  }
  return signs;
}

/** Whether the head alone shows that a protection product answered in place of the site. */
export function isChallengeHead(headers: Readonly<Record<string, string>>): boolean {
  return signatures.some(({ header }) => header !== undefined && header[1].test(headers[header[0]] ?? ''));
}

const maxSignLength = 200;

const wording =
  /are you (?:a )?(?:human|robot)|not a robot|(?:verify|confirm|prove)(?:ing)? (?:that )?you(?: are|'re|’re) (?:a )?human|unusual (?:traffic|activity)|complete the (?:security check|captcha)|enable javascript and cookies to continue|checking (?:if the site connection is secure|your browser)|automated (?:access|requests|queries)|class="(?:g-recaptcha|h-captcha|cf-turnstile)/i;

/**
 * Whether an answer asks whether a person is there. Content may mention robots too, so that only answers without the
 * expected content are checked.
 */
export function talksToRobots({ excerpt = '' }: Answer): boolean {
  return wording.test(visible(excerpt)) || wording.test(excerpt.slice(0, 4_096));
}

/** The number of characters of text from which on a page is meant to be read. */
const maxBareUnits = 200;

/**
 * Whether an answer has no text and no links but a script that acts by itself: it sets a cookie or loads the page
 * again. The empty shell of an application has a script as well, but one that it loads.
 */
export function isBareScript({ status = 200, headers = {}, excerpt = '' }: Answer): boolean {
  if (!/html/i.test(headers['content-type'] ?? 'text/html')) return false;
  if (!/<script\b/i.test(excerpt) || /<a\s[^>]{0,300}href/i.test(excerpt)) return false;
  if (visible(excerpt).length > maxBareUnits) return false;
  return (
    status >= 400 || /document\.cookie\s*=|location\.(?:reload|replace)\s*\(|location(?:\.href)?\s*=[^=]/.test(excerpt)
  );
}

/** The visible text of an excerpt, which may end anywhere. */
function visible(excerpt: string): string {
  return excerpt
    .replaceAll(/<!--[^]*?(?:-->|$)/g, ' ')
    .replaceAll(/<(script|style|template)\b[^]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replaceAll(/<[^>]*(?:>|$)/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
