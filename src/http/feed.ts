import type { Result } from '../control/methods.ts';
import { decodedPart } from '../view/path-part.ts';
import { hiddenCharacters, valueText } from '../view/text.ts';
import { type Calls, hangUp } from './calls.ts';
import { type Caller, type Exchange, sendRead } from './exchange.ts';
import { checkVerb } from './guard.ts';
import { Refusal } from './problem.ts';

type Event = Result<'event.recent'>['events'][number];

/** The most events of a feed. */
const mostEntries = 50;

/** The most slices of the log that are read for a feed; each is of up to 10,000 events. */
const mostSlices = 2;

/** The most fields of an entry, and the most characters of a text in it. */
const mostFields = 30;
const longest = 500;

/** Sends the newest changes of the records of a project, or of the projects with a label, as an Atom feed (RFC 4287). */
export async function sendFeed(exchange: Exchange, caller: Caller, calls: Calls): Promise<void> {
  const { url, origin, base, response } = exchange;
  const wanted = wantedOf(url.pathname);
  if (wanted === undefined) throw new Refusal('unknown_path', `no such feed: ${url.pathname.slice(0, 200)}`);
  checkVerb(exchange, 'GET');
  const signal = hangUp(exchange);
  const { events, isCut } = await calls.within(async () => {
    if ('project' in wanted) await calls.call(caller, 'project.get', { id: wanted.project }, signal);
    const found: Event[] = [];
    let before: number | undefined;
    for (let slice = 0; slice < mostSlices && found.length < mostEntries; slice += 1) {
      const range = { limit: mostEntries - found.length, ...(before !== undefined && { before }) };
      const { events: read, next } = await calls.call(
        caller,
        'event.recent',
        { ...wanted, types: ['record.*'], ...range },
        signal,
      );
      found.push(...read);
      before = next;
      if (before === undefined) break;
    }
    return { events: found, isCut: before !== undefined && found.length < mostEntries };
  });
  // A reader keeps what it has read, and asks whether it is still so.
  response.setHeader('cache-control', 'private, no-cache');
  const text = feed({ root: `${origin}${base}`, path: url.pathname, of: wanted }, events, isCut);
  sendRead(exchange, text, 'application/atom+xml; charset=utf-8');
}

const cutNotice =
  'Older changes are left out: only the newest 20,000 events of the daemon were looked at for this feed.';

/** What the changes of a feed are of. */
type Wanted = { readonly project: string } | { readonly label: string };

/** A feed as it is asked for. */
interface Feed {
  /** The address of the dashboard, without a slash at its end. */
  readonly root: string;
  readonly path: string;
  readonly of: Wanted;
}

function wantedOf(pathname: string): Wanted | undefined {
  const [, kind, encoded = ''] = /^\/feeds\/(labels|projects)\/([^/]{1,600})\.atom$/.exec(pathname) ?? [];
  const name = decodedPart(encoded);
  if (name === undefined) return undefined;
  if (kind === 'projects') return /^[\w-]{1,128}$/.test(name) ? { project: name } : undefined;
  return kind === 'labels' && name.length <= 64 ? { label: name } : undefined;
}

/** @param isCut - whether older changes may be missing that the log still has. */
function feed({ root, path, of }: Feed, events: readonly Event[], isCut: boolean): string {
  const title = 'project' in of ? `Project ${of.project}` : `Label ${of.label}`;
  const updated = instant(Math.max(0, ...events.map(({ at }) => at)));
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${xml(root + path)}</id>
<title>${xml(title)}</title>${isCut ? `\n<subtitle>${cutNotice}</subtitle>` : ''}
<updated>${updated}</updated>
<author><name>Heronry</name></author>
<link rel="self" type="application/atom+xml" href="${xml(root + path)}"/>
<link rel="alternate" type="text/html" href="${xml(root)}/projects${'project' in of ? `/${encodeURIComponent(of.project)}` : ''}"/>
${events.map((event) => entry({ root, path, of }, event)).join('\n')}
</feed>
`;
}

function entry({ root, path, of }: Feed, { id, at, type, projects = [], source = '', data }: Event): string {
  const { key, type: kind, fields } = recordOf(data);
  // Several projects may track the target of the record.
  const project = 'project' in of ? of.project : (projects[0] ?? '');
  const what = type.replace('record.', '');
  return `<entry>
<id>${xml(`${root}${path}#${id}`)}</id>
<title>${xml(`${project}: ${kind} ${key} ${what}`)}</title>
<updated>${instant(at)}</updated>
<link rel="alternate" type="text/html" href="${xml(`${root}/projects/${encodeURIComponent(project)}#changes`)}"/>
<category term="${xml(type)}"/>
<content type="text">${xml([`Source: ${source}`, ...fields].join('\n'))}</content>
</entry>`;
}

/** What an event says of a record; the types of its data have no common form. */
function recordOf(data: object) {
  const said = new Map<string, unknown>(Object.entries(data));
  const fields = Object.entries(Object(said.get('fields')))
    .slice(0, mostFields)
    .map(([name, change]) => {
      const sides = new Map<string, unknown>(Object.entries(Object(change)));
      const old = sides.get('old');
      return `${name}: ${old === undefined ? '' : `${textOf(old)} → `}${textOf(sides.get('new'))}`;
    });
  return { key: textOf(said.get('key')), type: textOf(said.get('type')), fields };
}

function textOf(value: unknown): string {
  const text = valueText(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as it stands in XML, without the characters that no XML may have and those that turn the direction of a text. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(hiddenCharacters, ' ')
    .replaceAll(/[\uFFFE\uFFFF]/g, ' ')
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
}
