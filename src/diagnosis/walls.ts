import { knownChallenge, maxAnswerUnits, talksToRobots } from '../fetch/challenge.ts';
import type { Cause } from '../view/ticket.ts';
import type { PageLook } from './page.ts';

/** Text of a page that is there to be read, in characters: what stands in the place of a page says less. */
const littleText = 1_500;

/** Text of a page that scripts are to fill, in characters. */
const hardlyAnyText = 200;

/** Recognises an answer that stands in the place of the page; `undefined` for what may be the page itself. */
export function wallOf(bad: PageLook, good: PageLook | undefined): Cause | undefined {
  const { status, source, text, title } = bad;
  if (status === 404 || status === 410) return cause('soft_404', `answered with status ${status}`);
  const excerpt = source.slice(0, maxAnswerUnits);
  const product = knownChallenge({ status, excerpt });
  if (product !== undefined) return cause('challenge', `a challenge of ${product} stands in place of the page`);
  if (status === 403 || status === 429 || status === 451) return cause('blocked', `answered with status ${status}`);
  if (status >= 500) return cause('site_down', `answered with status ${status}`);
  const says = `${title}\n${headingOf(source)}\n${text.slice(0, littleText)}`;
  if (bad.drafts.length > 0 || text.length > littleText) return undefined;
  const told = title === '' ? 'the page' : `the page, "${title.slice(0, 80)}",`;
  if (talksToRobots({ excerpt }) || /\bcaptcha\b/i.test(says))
    return cause('challenge', `${told} asks whether a person is there`);
  if (hasPassword(source) && !(good !== undefined && hasPassword(good.source)))
    return cause('login_wall', `${told} has a form for a password, which the page had not`);
  if (/\b(?:please|you must|you need to)\s+(?:log|sign)[ -]?in\b/i.test(says))
    return cause('login_wall', `${told} asks to log in`);
  if (/\bcookies?\b/i.test(says) && /\b(?:accept|agree|consent|privacy|continue)\b/i.test(says))
    return cause('cookie_wall', `${told} asks about cookies, and shows nothing else`);
  if (/\bmaintenance\b|\b(?:be right|be|come) back\b|temporarily (?:down|unavailable)|try again later/i.test(says))
    return cause('site_down', `${told} says that the site is not there for now`);
  if (
    /<script\b/i.test(source) &&
    (/enable javascript/i.test(source) || text.length < hardlyAnyText) &&
    isShell(source)
  )
    return cause('script_shell', 'the page is empty but for scripts that are to fill it');
  if (
    /\b404\b|not (?:be )?found|does(?: not|n't|n’t) exist|no longer (?:available|exists)|nothing (?:was )?found/i.test(
      says,
    )
  )
    return cause('soft_404', `${told} says that there is nothing, with status ${status}`);
  return undefined;
}

/**
 * Recognises an answer from the start page of the site in place of the page that was asked for, unless the good page came from there as well, or it shows
 * all records that the good page showed.
 */
export function redirectOf(bad: PageLook, good: PageLook | undefined, asked: string): Cause | undefined {
  const wasHome = good !== undefined && homeRedirect(good.url, asked) !== undefined;
  return wasHome || (bad.drafts.length > 0 && showsAll(bad, good)) ? undefined : homeRedirect(bad.url, asked);
}

function showsAll(bad: PageLook, good: PageLook | undefined): boolean {
  const shown = new Set(bad.drafts.map(({ type, key }) => `${type}\0${key}`));
  return good === undefined || good.drafts.every(({ type, key }) => shown.has(`${type}\0${key}`));
}

/** The cause where a request for another page ended at the start page of a site. */
export function homeRedirect(url: string, asked: string): Cause | undefined {
  const [to, from] = [URL.parse(url), URL.parse(asked)];
  return to !== null && isStart(to) && from !== null && !isStart(from)
    ? cause('redirected_home', `the request for ${from.pathname} was redirected to the start page`)
    : undefined;
}

/** Whether an address is, by its looks, where a site begins: its root, or a path such as `/home` or `/index.html`. */
function isStart({ pathname, search }: URL): boolean {
  return search === '' && /^(?:\/(?:home|index|start|welcome)(?:\.[a-z]{2,5})?)?\/?$/i.test(pathname);
}

function headingOf(source: string): string {
  return /<h1[^>]{0,300}>([^<]{0,300})/i.exec(source)?.[1] ?? '';
}

function hasPassword(source: string): boolean {
  return /<input\b[^>]{0,300}\btype\s*=\s*["']?password\b/i.test(source);
}

/** Whether a page has an element that a script is to fill, or hardly any elements. */
function isShell(source: string): boolean {
  return /<(?:div|main|app-root)[^>]{0,200}>\s*<\/(?:div|main|app-root)>/i.test(source) || /<noscript/i.test(source);
}

function cause(kind: Cause['kind'], sentence: string): Cause {
  return { kind, says: [sentence] };
}
