import { html } from 'hono/html';
import { plainText } from '../view/text.ts';
import { assetPath } from './parts/assets.ts';
import { foreign, json, short } from './parts/text.ts';
import { type Section, sectionsFor } from './navigation.ts';
import type { Html, Live, Outcome, Page, ViewContext } from './parts/view.ts';

/** What surrounds a page: where the dashboard is, and what an action came to. */
export interface Surroundings {
  /** The path that the dashboard is below, with a slash at its end. */
  readonly base: string;
  readonly outcome?: Outcome | undefined;
  /** The newest event before the page was made: what comes after it may change the page. */
  readonly lastEvent: number;
}

/** The sections of pages whose paths begin otherwise. */
const sectionOf: Readonly<Record<string, string>> = { bulk: 'projects', try: 'sources' };

/** Renders a page as a whole document, with the parts that all pages share. Its addresses are relative to `base`. */
export function layout(
  page: Page,
  { viewer, at, query }: Pick<ViewContext, 'viewer' | 'at' | 'query'>,
  { base, outcome, lastEvent }: Surroundings,
): Html {
  const [first = ''] = at.split(/[/?]/);
  const section = sectionOf[first] ?? first;
  const sections = sectionsFor(viewer);
  return bare(
    page.title,
    base,
    // Behind "./" the path of a request that is refused is neither a scheme nor the name of another site.
    html`<a class="skip" href="./${at}#main">Skip to the content</a>
      <header class="top">
        <a class="brand" href="./" aria-label="Heronry, overview">
          <svg viewBox="0 0 24 24" aria-hidden="true"><use href="${assetPath('heron.svg')}#heron" /></svg>
          <span>Heronry</span>
        </a>
        <form class="search" role="search" aria-label="Projects" action="projects" method="get">
          <input
            type="search"
            name="q"
            aria-label="Search projects"
            placeholder="Search projects"
            value="${section === 'projects' ? (query.get('q') ?? '') : ''}"
            autocomplete="off"
            spellcheck="false"
            aria-keyshortcuts="/"
          />
        </form>
        <details class="who">
          <summary>${short(viewer.label, 30)}</summary>
          <form method="post" action="logout">
            <p><a href="docs/api">HTTP API</a></p>
            <p>
              <button type="button" class="scripted" popovertarget="keys" aria-keyshortcuts="?" hidden>Keys</button>
            </p>
            <button>Log out</button>
          </form>
        </details>
      </header>
      <nav class="sections" aria-label="Sections">
        ${sections.map(
          ({ path, name, key }) =>
            html`<a
              href="${path === '' ? './' : path}"
              title="Keys: g ${key}"
              data-key="${key}"
              ${section === path ? html`aria-current="page"` : ''}
              >${name}</a
            >`,
        )}
      </nav>
      <main id="main" tabindex="-1" ${liveAttributes(page.live)}>
        <div class="title"><h1>${page.heading ?? short(page.title, 200)}</h1></div>
        ${outcome === undefined ? '' : outcomeBox(outcome)} ${page.body}
      </main>
      ${keyHelp(sections)}
      <p id="connection" class="connection" role="status" hidden></p>`,
    html`<script defer src="${assetPath('idiomorph.js')}"></script>
      <script
        type="module"
        src="${assetPath('live.js')}"
        id="live"
        data-events="${assetPath('events.js')}"
        data-after="${String(lastEvent)}"
      ></script>`,
  );
}

/** Renders a document without the parts that need a viewer, for the log-in and for a refusal of a request by nobody known. */
export function bare(title: string, base: string, body: Html, scripts: Html | '' = ''): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${plainText(title.slice(0, 200))} · Heronry</title>
        <base href="${base}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assetPath('style.css')}" />
        ${scripts}
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}

/** The page of a request that is refused, for a viewer that is known: it stays as it is. */
export function refusalPage(title: string, detail: string): Page {
  return { title, body: refusalBox(detail) };
}

/** Renders the document of a request that is refused where no viewer is known. */
export function refusalDocument(base: string, title: string, detail: string): Html {
  return bare(
    title,
    base,
    html`<main id="main" class="alone">
      <h1>${title}</h1>
      ${refusalBox(detail)}
      <p><a href="./">To the start page</a></p>
    </main>`,
  );
}

function refusalBox(detail: string): Html {
  return html`<div class="outcome error" role="alert">${foreign(detail)}</div>`;
}

/** The keys that scripts listen to, in a box that opens on demand. */
function keyHelp(sections: readonly Section[]): Html {
  const keys = [
    ['/', 'Search projects'],
    ['?', 'Show these keys'],
    ...sections.map(({ name, key }) => [`g ${key}`, name] as const),
  ] as const;
  return html`<div id="keys" class="keys" popover role="dialog" aria-labelledby="keys-name">
    <h2 id="keys-name">Keys</h2>
    <dl class="facts">
      ${keys.map(
        ([typed, does]) =>
          html`<div>
            <dt>${typed.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt>
            <dd>${does}</dd>
          </div>`,
      )}
    </dl>
    <button type="button" popovertarget="keys" popovertargetaction="hide">Close</button>
  </div>`;
}

function outcomeBox({ text, isError, result }: Outcome): Html {
  return html`<div id="outcome" class="outcome ${isError ? 'error' : 'done'}" role="${isError ? 'alert' : 'status'}">
    <div>${foreign(text)}</div>
    ${
      result === undefined
        ? ''
        : html`<details>
            <summary>Answer</summary>
            ${json(result, 'Answer')}
          </details>`
    }
  </div>`;
}

function liveAttributes(live: Live | undefined): Html | '' {
  if (live === undefined) return '';
  if (live === 'all') return html`data-live="all"`;
  if ('project' in live) return html`data-live="project" data-live-id="${live.project}"`;
  return html`data-live="source" data-live-id="${live.source}"`;
}
