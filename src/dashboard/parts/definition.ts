import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import { changedLines } from '../../view/changed-text.ts';
import { diffLines } from './side-by-side.ts';
import { section, table } from './table.ts';
import { short, visibleText } from './text.ts';
import { age } from './time.ts';
import type { Html, ViewContext } from './view.ts';

type Scrapes = Result<'scrape.list'>['scrapes'];

/** Characters of a definition that are shown. */
const shown = 100_000;

/** Shows the definition of a source: its file, the versions that its latest scrapes were read by, and how one of them differs from that in use. */
export async function definitionSection(
  { call, query, now }: ViewContext,
  { id, version: inUse, definition, file }: Result<'source.get'>,
  scrapes: Scrapes,
): Promise<Html> {
  const asked = query.get('version') ?? undefined;
  const older = asked === undefined ? undefined : (await call('source.get', { id, version: asked })).definition;
  return section(
    'definition',
    'Definition',
    html`${
      file === undefined
        ? definition === undefined
          ? html`<p class="empty">There is no definition file.</p>`
          : code(written(definition))
        : html`<p class="note">${short(file.path, 200)}</p>
            ${code(file.text)}`
    }
    ${versionTable(id, versionsOf(scrapes), inUse, now)}
    ${
      asked === undefined
        ? ''
        : html`<h3 id="difference">From ${short(asked, 14)} to the version in use</h3>
            ${older === undefined ? html`<p class="empty">That version is not kept any more.</p>` : diffLines(changedLines(written(older), written(definition)), 'What has changed since')}`
    }`,
  );
}

function code(text: string): Html {
  return html`<pre tabindex="0">${visibleText(text.slice(0, shown))}</pre>`;
}

function written(definition: unknown): string {
  return JSON.stringify(definition, undefined, 2) ?? '';
}

/** A version of a definition by which scrapes were read. */
interface Version {
  readonly version: string;
  readonly scrapes: number;
  readonly lastAt: number;
}

/** The versions by which scrapes were read, the newest first. */
function versionsOf(scrapes: Scrapes): Version[] {
  const read = scrapes.filter(({ version }) => version !== '');
  return Array.from(
    Map.groupBy(read, ({ version }) => version),
    ([version, of]) => ({
      version,
      scrapes: of.length,
      lastAt: Math.max(...of.map(({ startedAt }) => startedAt)),
    }),
  );
}

function versionTable(id: string, versions: readonly Version[], inUse: string | undefined, now: number): Html | '' {
  if (versions.length === 0) return '';
  return html`<h3>Versions of the latest scrapes</h3>
    ${table(
      'Versions',
      versions,
      [
        ['Version', ({ version }) => html`<code>${short(version, 14)}</code>`],
        ['Scrapes', ({ scrapes }) => scrapes, { isNumber: true }],
        ['Last', ({ lastAt }) => age(lastAt, now)],
        [
          '',
          ({ version }) =>
            version === inUse
              ? 'in use'
              : html`<a href="sources/${encodeURIComponent(id)}?version=${encodeURIComponent(version)}#difference"
                  >What has changed since</a
                >`,
        ],
      ],
      '',
    )}`;
}
