import { sightWithoutScrape } from '../../view/sight.ts';
import { html } from 'hono/html';
import { defined } from '../../defined.ts';
import type { Result } from '../../control/methods.ts';
import { projectLink, scrapeLink, sourceLink } from '../parts/links.ts';
import { status } from '../parts/status.ts';
import { facts, more, table } from '../parts/table.ts';
import { change, short } from '../parts/text.ts';
import { age, clock } from '../parts/time.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];

/** The spans of time that one click compares. */
const spans = [
  ['hour', hourMs],
  ['day', dayMs],
  ['week', 7 * dayMs],
  ['month', 30 * dayMs],
] as const;

/** The records of one slice. */
const shown = 50;

/** What the records of a project were at two instants, with the words that differ; of all of them, or of one. */
export const diff: View = {
  path: 'projects/:id/diff',
  async show(context) {
    const { call, place, query, now, at } = context;
    const id = place('id');
    const { name } = await call('project.get', { id });
    const from = instantOf(query.get('from')) ?? now - dayMs;
    const to = instantOf(query.get('to')) ?? now;
    const [source, type, key, after] = ['source', 'type', 'key', 'after'].map((each) => query.get(each) ?? undefined);
    const wanted = defined({ source, type, key });
    const range = { from, to, limit: shown, ...defined({ after }) };
    const found = from < to ? await call('project.diff', { id, ...wanted, ...range }) : undefined;
    return {
      title: `Differences of ${name}`,
      heading: html`Differences of ${projectLink(id, name)}`,
      body: html`${pickers(context, id, { from, to, wanted })}
      ${
        found === undefined
          ? html`<p class="outcome error" role="alert">The first instant has to be before the second.</p>`
          : html`${differences(found.differences, now)} ${more(at, 'after', found.next)}`
      }`,
    };
  },
};

interface Picked {
  readonly from: number;
  readonly to: number;
  /** What narrows the comparison: one record, or those of one source or type. */
  readonly wanted: { readonly source?: string; readonly type?: string; readonly key?: string };
}

function pickers({ now }: ViewContext, id: string, { from, to, wanted }: Picked): Html {
  const path = `projects/${encodeURIComponent(id)}/diff`;
  const addressOf = (ms: number) =>
    `${path}?${new URLSearchParams({ ...wanted, from: String(now - ms), to: String(now) }).toString()}`;
  return html`<form class="action filters" action="${path}" method="get" aria-label="What is compared">
      ${Object.entries(wanted).map(([name, text]) => html`<input type="hidden" name="${name}" value="${text}" />`)}
      ${picker('from', 'From (UTC)', from)} ${picker('to', 'To (UTC)', to)}
      <button>Compare</button>
    </form>
    <p class="actions">
      ${spans.map(([name, ms]) => html`<a class="button" href="${addressOf(ms)}">Last ${name}</a> `)}
    </p>
    ${facts([
      ['From', clock(from)],
      ['To', clock(to)],
      ['Source', wanted.source],
      ['Type', wanted.type],
      ['Record', wanted.key],
      [
        'Beside',
        Object.keys(wanted).length === 0
          ? undefined
          : html`<a href="${path}?from=${String(from)}&to=${String(to)}">All records</a>`,
      ],
    ])}`;
}

function picker(name: string, label: string, at: number): Html {
  const text = new Date(at).toISOString().slice(0, 19);
  return html`<label>${label} <input type="datetime-local" step="1" name="${name}" value="${text}" required /></label>`;
}

function differences(all: Result<'project.diff'>['differences'], now: number): Html {
  return table(
    'Differences',
    all,
    [
      [
        'Record',
        ({ type, key, source }) =>
          html`${short(type, 30)} ${short(key, 60)} <span class="note">${sourceLink(source)}</span>`,
      ],
      ['Change', ({ kind }) => status(kind)],
      [
        'Fields',
        ({ fields }) =>
          html`<dl class="changes">
            ${Object.entries(fields)
              .slice(0, 60)
              .map(
                ([name, { old, new: newer, by }]) =>
                  html`<div>
                    <dt>${short(name, 40)}</dt>
                    <dd>
                      ${change(old, newer)}
                      <span class="note">
                        ${age(by.at, now)} ${sightWithoutScrape(by) ?? html`in scrape ${scrapeLink(by.scrape)}`}
                      </span>
                    </dd>
                  </div>`,
              )}
          </dl>`,
      ],
    ],
    'Nothing differs between these two instants.',
  );
}

/** Reads an instant: milliseconds since 1970, or a time of UTC as an input for one gives it. Nothing for another text. */
function instantOf(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  const at = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(`${text}Z`);
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? at : undefined;
}

/** The address of the page that shows one change of a record: what it was just before, and then. */
export function diffPath(
  project: string,
  {
    source,
    type,
    key,
    at,
  }: { readonly source: string; readonly type: string; readonly key: string; readonly at: number },
): string {
  const query = new URLSearchParams({ from: String(at - 1), to: String(at), source, type, key });
  return `projects/${encodeURIComponent(project)}/diff?${query.toString()}`;
}
