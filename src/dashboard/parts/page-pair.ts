import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import { decodeBody } from '../../extract/decode.ts';
import type { TicketView } from '../../view/ticket.ts';
import { bytesText } from '../../view/text.ts';
import type { Html, ViewContext } from './view.ts';
import { scrapeLink } from './links.ts';
import { type Answered, orRefusal } from './refused.ts';
import { sideTable } from './side-by-side.ts';
import { link } from './text.ts';
import { age } from './time.ts';

/** The most bytes of a page that are compared. */
const mostBytes = 400_000;

type Kept = Answered<Result<'page.get'>>;

/** Shows the last good and the first bad page of a ticket side by side, as far as they are kept. */
export async function pagePair(
  { call, now }: ViewContext,
  { sources: [source = ''], pages: { good, bad, screenshots = {} } = {} }: TicketView,
): Promise<Html> {
  if (good === undefined && bad === undefined) return html`<p class="empty">No page of it is kept.</p>`;
  const read = (digest: string | undefined) =>
    digest === undefined ? undefined : orRefusal(call('page.get', { digest }));
  const [before, after] = await Promise.all([read(good), read(bad)]);
  return html`<div class="sides">
      ${side('Last good page', source, good, before, screenshots.good, now)}
      ${side('First bad page', source, bad, after, screenshots.bad, now)}
    </div>
    ${
      before?.ok === true && after?.ok === true
        ? html`${sideTable(['Last good page', 'First bad page'], sourceText(before.result), sourceText(after.result))}
          ${[before, after].some(({ result }) => result.body.length > (mostBytes * 4) / 3) ? html`<p class="note">Compared are the first ${bytesText(mostBytes)} of each.</p>` : ''}`
        : ''
    }`;
}

function sourceText({ page, body }: Result<'page.get'>): string {
  return decodeBody(Buffer.from(body, 'base64').subarray(0, mostBytes), page.contentType);
}

/** What is known of one page, with its picture where the browser took one. */
function side(
  name: string,
  source: string,
  digest: string | undefined,
  kept: Kept | undefined,
  screenshot: string | undefined,
  now: number,
): Html {
  return html`<div>
    <h3>${name}</h3>
    ${digest === undefined || kept === undefined ? html`<p class="note">None is kept.</p>` : kept.ok ? told(source, digest, kept.result, now) : html`<p class="note">${kept.why}</p>`}
    ${screenshot === undefined ? '' : html`<a href="pictures/${screenshot}"><img class="picture" src="pictures/${screenshot}" alt="${name}, as a browser showed it" loading="lazy" /></a>`}
  </div>`;
}

function told(source: string, digest: string, { page, body }: Result<'page.get'>, now: number): Html {
  return html`<p>
    ${link(page.url)}
    <span class="note">
      status ${String(page.status)}, ${bytesText(Math.floor((body.length * 3) / 4))}, ${age(page.observedAt, now)},
      ${page.scrape === 0 ? 'a re-check' : html`scrape ${scrapeLink(page.scrape)}`}
    </span>
    <a href="sources/${encodeURIComponent(source)}/try?page=${digest}">Try it</a>
  </p>`;
}
