import { html } from 'hono/html';
import type { MethodInput, Result } from '../../control/methods.ts';
import { countText } from '../../view/text.ts';
import { action, actions, typed } from '../parts/action.ts';
import { foundList, pickedSection } from '../parts/trial.ts';
import { problemList } from '../parts/problems.ts';
import { orRefusal } from '../parts/refused.ts';
import { section } from '../parts/table.ts';
import { link, short } from '../parts/text.ts';
import { age } from '../parts/time.ts';
import type { Html, Outcome, Page, View, ViewContext } from '../parts/view.ts';

type Tried = Result<'page.try'>;

/** The most targets and changes that kept pages are looked for in. */
const [lookedTargets, lookedChanges] = [3, 30];

/** Tries a stored page with the definition of a source, or with one that is being written. */
export const trySource: View = {
  path: 'sources/:id/try',
  async show(context) {
    const id = context.place('id');
    const digest = context.query.get('page') ?? '';
    return digest === '' ? choosePage(context, id) : tryPage(context, id, digest);
  },
};

/** Fetches a page that belongs to no source yet, to make a definition from it. */
export const tryNew: View = {
  path: 'try',
  async show(context) {
    const { query, outcome } = context;
    const digest = query.get('page') ?? digestIn(outcome?.result);
    const id = query.get('id') ?? '';
    if (digest !== undefined && id !== '') return tryPage(context, id, digest);
    return {
      title: 'New source',
      body:
        digest === undefined
          ? fetchForm(context, 'try')
          : nameForm(digest, outcome?.given?.get('url') ?? query.get('url') ?? ''),
    };
  },
};

/** The stored page in its frame, as the definition in use reads it, or the one that is being written. */
export const pageFrame: View = {
  path: 'pages/:digest/frame',
  async show(context) {
    const { call, place, query } = context;
    const digest = place('digest');
    const source = query.get('source') ?? '';
    const params = triedParams(context, source, digest);
    const shown =
      params === undefined
        ? await call('page.inspect', inspectParams(context, digest, source))
        : await call('page.try', params);
    return { html: shown.html, to: addressOf(context, source, digest) };
  },
};

function addressOf({ outcome }: ViewContext, source: string, digest: string): string {
  const query = new URLSearchParams({ page: digest, ...(outcome !== undefined && { outcome: outcome.name }) });
  return `sources/${encodeURIComponent(source)}/try?${query.toString()}`;
}

function inspectParams({ query }: ViewContext, digest: string, source: string): MethodInput<'page.inspect'> {
  return { digest, ...(source !== '' && { source }), ...pickIn(query) };
}

/** What is tried where a person has written something, or may write it. */
function triedParams(
  { viewer, outcome, query }: ViewContext,
  source: string,
  digest: string,
): MethodInput<'page.try'> | undefined {
  if (source === '' || !viewer.can('page.try')) return undefined;
  const given = outcome?.given;
  const text = given?.get('text')?.replaceAll('\r\n', '\n');
  const [record, field, rule, type] = ['record', 'field', 'rule', 'type'].map(
    (name) => given?.get(`add.${name}`)?.trim() ?? '',
  );
  const isAdded = outcome?.isError !== true && record && field && rule;
  return {
    digest,
    source,
    ...(text !== undefined && text !== '' && { text }),
    ...(isAdded && { add: [{ record, field, rule, ...(type && { type }) }] }),
    ...pickIn(query),
  };
}

function pickIn(query: URLSearchParams): { readonly pick?: number } {
  const text = query.get('pick') ?? '';
  return /^\d{1,6}$/.test(text) ? { pick: Number(text) } : {};
}

async function tryPage(context: ViewContext, id: string, digest: string): Promise<Page> {
  const { call, now, outcome, query } = context;
  const isOwn = !(await isBuiltIn(context, id));
  const params = isOwn ? triedParams(context, id, digest) : undefined;
  const tried = params === undefined ? undefined : await call('page.try', params);
  const shown = tried ?? (await call('page.inspect', inspectParams(context, digest, id)));
  const frame = new URLSearchParams({
    source: id,
    ...(outcome !== undefined && { outcome: outcome.name }),
    ...(query.get('pick') !== null && { pick: query.get('pick') ?? '' }),
  });
  return {
    title: `Try ${id}`,
    ...(tried !== undefined &&
      params?.text !== undefined &&
      outcome?.isError === false &&
      withProblems(tried, outcome)),
    body: html`<p class="state">
        ${link(shown.url)} as it came ${age(shown.observedAt, now)}. What is shown here is stored: the site is not
        asked. ${shown.isCut ? html`<strong>The page is longer than what is shown.</strong>` : ''}
      </p>
      <div class="trial">
        <div class="page">
          <iframe
            id="frame"
            title="The stored page; each text leads to rules for it"
            sandbox="allow-top-navigation-by-user-activation"
            src="pages/${digest}/frame?${frame.toString()}#picked"
          ></iframe>
          <p class="note">
            Choose a text on the page to have rules for it. What is read is outlined, with the name of its field.
          </p>
        </div>
        <div class="beside">
          ${shown.picked === undefined ? '' : pickedSection(context, shown.picked, { id, digest, text: tried?.text })}
          ${tried === undefined || tried.problems.length === 0 ? '' : section('problems', 'Problems of this text', problemList(tried.problems))}
          ${shown.found === undefined ? '' : section('found', 'What is read', foundList(shown.found))}
        </div>
      </div>
      ${tried === undefined ? '' : section('definition', 'Definition', editor(context, id, digest, tried))}
      ${isOwn ? '' : newSource(context, digest, shown.url)}`,
  };
}

/** Whether a source is the built-in one, whose definition has no file. A source that does not exist yet is not. */
async function isBuiltIn({ call }: ViewContext, id: string): Promise<boolean> {
  const found = await orRefusal(call('source.get', { id }));
  return found.ok && found.result.builtIn === true;
}

/** What is told of a trial of a text that has problems. */
function withProblems({ problems }: Tried, outcome: Outcome): Pick<Page, 'outcome'> {
  if (problems.length === 0) return {};
  const text = `The text has ${countText(problems.length, 'problem')}. Nothing is saved.`;
  return { outcome: { ...outcome, text, isError: true } };
}

/** Leads from a page that the built-in source reads to a definition of its own. */
function newSource({ viewer }: ViewContext, digest: string, url: string): Html | '' {
  if (!viewer.can('page.try')) return '';
  return html`<p class="note">This source is built in: it has no definition file that could be changed.</p>
    <p>
      <a class="button" href="try?${new URLSearchParams({ page: digest, url }).toString()}"
        >New source from this page</a
      >
    </p>`;
}

function editor(context: ViewContext, id: string, digest: string, { text, base }: Tried): Html {
  const area = html`<label class="wide"
    ><span>Text of ${short(id, 60)}.yaml</span>
    <textarea name="text" rows="24" spellcheck="false" autocomplete="off">${text}</textarea>
  </label>`;
  const source = `sources/${encodeURIComponent(id)}`;
  return html`${actions(context, area, [
      {
        method: 'page.try',
        params: { source: id, digest },
        label: 'Try this text',
        done: 'Tried. Nothing is saved.',
        cli: ['try', id, '--kept', digest, '--sources', '.'],
        leadsTo: `${source}/try?page=${digest}`,
      },
      {
        method: 'source.save',
        params: { id, ...(base !== undefined && { base }) },
        label: 'Save as definition',
        tone: 'main',
        done: 'Saved, and in use from now on.',
        cli: ['sources', 'save', id, `${id}.yaml`],
        leadsTo: source,
      },
    ])}
    <p class="note">
      Both buttons take the text as it is in the box. A text with problems is not saved. Try a changed text before you
      choose a place on the page: the page then loads anew, and a text that was not tried is lost. The commands read
      ${short(id, 60)}.yaml in the folder where they run: write the text there first.
    </p>`;
}

/** The pages of a source that can be tried, and the form that fetches another one. */
async function choosePage(context: ViewContext, id: string): Promise<Page> {
  const { outcome, now } = context;
  const digest = digestIn(outcome?.result);
  if (digest !== undefined) return tryPage({ ...context, query: new URLSearchParams({ page: digest }) }, id, digest);
  const pages = await keptPages(context, id);
  return {
    title: `Try a page of ${id}`,
    body: html`${section(
      'kept',
      'Stored pages',
      pages.length === 0
        ? html`<p class="empty">No page of it is stored. Fetch one below.</p>`
        : html`<ul class="plain">
            ${pages.map(
              (page) =>
                html`<li>
                  <a href="sources/${encodeURIComponent(id)}/try?page=${page.digest}">${short(page.url, 100)}</a>
                  <span class="note"
                    >${page.at === undefined ? page.why : html`${short(page.record ?? '', 60)}, ${age(page.at, now)}`}</span
                  >
                </li>`,
            )}
          </ul>`,
    )}
    ${section(
      'digest',
      'Another stored page',
      html`<form class="action" method="get" action="sources/${encodeURIComponent(id)}/try">
        <label
          >Digest, from <code>heronry history --pages</code>
          <input name="page" pattern="[A-Za-z0-9_\\-]{22}" required size="24"
        /></label>
        <button>Show</button>
      </form>`,
    )}
    ${fetchForm(context, (await isBuiltIn(context, id)) ? 'try' : `sources/${encodeURIComponent(id)}/try`)}`,
  };
}

interface KeptPage {
  readonly digest: string;
  readonly url: string;
  /** The record whose change the page showed, and when. */
  readonly record?: string;
  readonly at?: number;
  readonly why?: string;
}

/** The pages that the latest changes and tickets of a source name, each once. */
async function keptPages({ call }: ViewContext, id: string): Promise<readonly KeptPage[]> {
  const [{ targets }, { tickets }] = await Promise.all([
    call('target.list', { source: id, limit: lookedTargets }),
    call('ticket.list', { source: id, limit: 5 }),
  ]);
  const addresses = new Map(targets.map(({ target, url }) => [target, url]));
  const projects = [...new Set(targets.flatMap(({ projects: [first] }) => first ?? []))];
  // A project may be gone since its target was listed.
  const histories = await Promise.allSettled(
    projects.map((project) => call('project.history', { id: project, source: id, limit: lookedChanges })),
  );
  const changed = histories.flatMap((history) =>
    history.status === 'fulfilled'
      ? history.value.changes.flatMap(({ page, at, key, target }) =>
          page === undefined ? [] : [{ digest: page, url: addresses.get(target) ?? key, record: key, at }],
        )
      : [],
  );
  const ofTickets = tickets.flatMap(({ ticket, pages: { good, bad, urls } = {} }) => [
    ...(bad === undefined
      ? []
      : [{ digest: bad, url: urls?.bad ?? id, why: `first bad page of ticket ${String(ticket)}` }]),
    ...(good === undefined
      ? []
      : [{ digest: good, url: urls?.good ?? id, why: `last good page of ticket ${String(ticket)}` }]),
  ]);
  const all: KeptPage[] = [...ofTickets, ...changed];
  return [...new Map(all.map((page) => [page.digest, page])).values()].slice(0, 20);
}

function fetchForm(context: ViewContext, leadsTo: string): Html {
  const form = action(context, {
    method: 'source.peek',
    label: 'Fetch it once',
    done: 'Fetched, in the turn of its host.',
    cli: ['fetch', { input: 'url', empty: 'URL' }],
    leadsTo,
    inputs: html`<label
      >Address
      <input
        type="url"
        name="url"
        value="${typed(context, 'source.peek', 'url')}"
        required
        placeholder="https://…"
        size="50"
    /></label>`,
  });
  return section(
    'fetch',
    'Fetch a page',
    form === ''
      ? html`<p class="empty">Your token may not have pages fetched.</p>`
      : html`<p class="note">The site is asked once, in the turn of its host and as its robots.txt allows.</p>
          ${form}`,
  );
}

function nameForm(digest: string, url: string): Html {
  const host = URL.parse(url)?.hostname.replace(/^www\./, '') ?? '';
  const word = /^[\d.]+$|^\[/.test(host)
    ? ''
    : (host.split('.').at(-2) ?? host).toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return html`<p>
      The page was fetched. Name the source that it is to be a page of; a definition is drafted from the page.
    </p>
    <form class="action" method="get" action="try">
      <input type="hidden" name="page" value="${digest}" />
      <label
        >Id <input name="id" required pattern="[a-z0-9]([a-z0-9\\-]*[a-z0-9])?" maxlength="64" value="${word}"
      /></label>
      <button class="main">Draft a definition</button>
    </form>`;
}

function digestIn(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || !('digest' in result)) return undefined;
  return typeof result.digest === 'string' && /^[\w-]{22}$/.test(result.digest) ? result.digest : undefined;
}
