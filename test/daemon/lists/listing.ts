import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client } from '../../../src/control/client.ts';
import type { Event, EventOf } from '../../../src/event/catalogue.ts';
import type { RecordView } from '../../../src/view/record.ts';
import type { ScrapeView, StepView, ScrapeWish } from '../../../src/view/scrape.ts';
import type { TestDaemon } from '../../support/daemon.ts';
import type { Site } from '../../support/site.ts';

/** A definition of a list in JSON, whose items have an id, a title and more. */
export function listSource(more: string, record = ''): string {
  return `id: list
provider: json
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
${more}
records:
  item:
    key: id
    each: { json: '$.items[*]' }
    ${record}
    fields:
      id: { json: $.id }
      title: { json: $.title }
      link: { json: $.link }
`;
}

/** An item as an API gives it. */
export type Item = Readonly<Record<string, unknown>>;

export function itemsOf(first: number, count: number): Item[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({ id: `i${first + index}`, title: 'T' }));
}

/** Answers with JSON, whatever it is. */
export function json(value: unknown, headers: Readonly<Record<string, string>> = {}) {
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/** Has a path answer by the parameters of its query, with JSON unless a type says otherwise. */
export function answerBy(
  site: Site,
  path: string,
  answer: (query: URLSearchParams, request: IncomingMessage) => unknown,
  type = 'application/json',
): void {
  site.answer(path, (request, response) => {
    const { searchParams } = new URL(request.url ?? '', site.origin);
    give(answer(searchParams, request), response, type);
  });
}

/** An answer that never comes. */
export const held = Symbol('held');

/** A number is a status; nothing ends the connection. */
function give(answer: unknown, response: ServerResponse, type: string): void {
  if (answer === held) return;
  if (answer === undefined) return void response.destroy();
  if (typeof answer === 'number') response.statusCode = answer;
  response.setHeader('content-type', type);
  response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
}

export interface Ended {
  readonly scrape: ScrapeView;
  readonly steps: readonly StepView[];
  /** What the site was asked for by it: paths and queries. */
  readonly asked: readonly string[];
}

/** The events by which a scrape ends. */
export type ScrapeEndEvent = EventOf<'scrape.completed' | 'scrape.failed' | 'scrape.aborted' | 'scrape.cancelled'>;

const ends: ReadonlySet<string> = new Set(['scrape.completed', 'scrape.failed', 'scrape.aborted', 'scrape.cancelled']);

export function isEnd(event: Event): event is ScrapeEndEvent {
  return ends.has(event.type);
}

/** Tracks a path of a site; resolves when its first scrape has ended. */
export async function trackList(daemon: TestDaemon, site: Site, path: string, id = 'all'): Promise<Ended> {
  const before = site.asked.length;
  await daemon.client.call('project.add', { id, targets: [{ source: 'list', url: site.url(path) }] });
  const { scrape = 0 } = await daemon.event((event) => isEnd(event) && event.projects?.[0] === id);
  return endedAs(daemon.client, scrape, site, before);
}

/** Has a project scraped once more; resolves when that has ended. */
export async function again(daemon: TestDaemon, site: Site, wish?: ScrapeWish, id = 'all'): Promise<Ended> {
  const before = site.asked.length;
  const { scrapes } = await daemon.client.call('project.rescrape', { id, ...(wish && { wish }) });
  const number = scrapes[0]?.scrape ?? 0;
  await daemon.event((event) => isEnd(event) && event.scrape === number);
  return endedAs(daemon.client, number, site, before);
}

async function endedAs(client: Client, scrape: number, site: Site, before: number): Promise<Ended> {
  const found = await client.call('scrape.get', { scrape, limit: 1_000 });
  return { ...found, asked: site.asked.slice(before).map(({ path }) => path) };
}

/** The records of a project, by their keys. */
export async function recordsOf(client: Client, id = 'all'): Promise<ReadonlyMap<string, RecordView>> {
  const { records } = await client.call('project.records', { id, limit: 1_000 });
  return new Map(records.map((record) => [record.key, record]));
}
