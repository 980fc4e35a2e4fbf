import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parse, stringify } from 'yaml';
import type { RecordView } from '../../src/view/record.ts';
import { nth, soon } from '../daemon/tracking.ts';
import { recordsOf } from '../daemon/lists/listing.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import type { Site } from '../support/site.ts';

/** The folder of the definitions that are shipped as examples. */
export const exampleFolder = join(import.meta.dirname, '..', '..', 'docs', 'definitions');

/** A shipped definition for a site at `origin` in place of the one that it names, asked without pauses. */
export async function exampleAt(id: string, origin: string): Promise<string> {
  const text = await readFile(join(exampleFolder, `${id}.yaml`), 'utf8');
  const written: unknown = parse(text.replaceAll(/http:\/\/127\.0\.0\.1:8080|https:\/\/socks\.example/g, origin));
  const source = Object.assign({ collect: undefined }, written);
  return stringify({
    ...source,
    ...(source.collect !== undefined && { collect: Object.assign({}, source.collect, { pause: '1ms' }) }),
    allowPrivate: true,
    retry: { times: 0 },
    politeness: { autoThrottle: false, delay: '1ms', minDelay: '1ms' },
  });
}

/** A daemon that tracks one target by a shipped definition. */
export interface Tracked extends TestDaemon {
  /** The target's records of a type, by their keys. */
  records(type: string): Promise<ReadonlyMap<string, RecordView>>;
  /** Has it scraped again, and waits for the end. */
  again(): Promise<void>;
}

/** Tracks one target by a shipped definition, as the project `it`; resolves once the first scrape has completed. */
export async function track(
  t: TestContext,
  id: string,
  origin: string,
  target: { readonly params?: Record<string, string>; readonly url?: string } = { params: {} },
): Promise<Tracked> {
  const daemon = await startDaemon(t, { sources: { [id]: await exampleAt(id, origin) }, settings: soon });
  const { client, event } = daemon;
  const isEnd = (type: string) => ['scrape.completed', 'scrape.failed', 'scrape.aborted'].includes(type);
  await client.call('project.add', { id: 'it', targets: [{ source: id, ...target }] });
  completed(await event(({ type }) => isEnd(type)));
  return {
    ...daemon,
    async records(type) {
      const all: RecordView[] = [];
      let after: string | undefined;
      do {
        const slice = await client.call('project.records', { id: 'it', type, ...(after !== undefined && { after }) });
        all.push(...slice.records);
        after = slice.next;
      } while (after !== undefined);
      return new Map(all.map((record) => [record.key, record]));
    },
    async again() {
      const { scrapes } = await client.call('project.rescrape', { id: 'it' });
      completed(await event(({ type, scrape }) => isEnd(type) && scrape === scrapes[0]?.scrape));
    },
  };
}

function completed(event: { readonly type: string; readonly data: unknown }): void {
  if (event.type !== 'scrape.completed') throw new Error(`${event.type}: ${JSON.stringify(event.data)}`);
}

/** The values of a record's fields. */
export function valuesOf(record: RecordView | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record?.fields ?? {}).map(([name, { value }]) => [name, value]));
}

/** A target of a definition that a page of the docs shows. */
interface QuotesTarget {
  /** The blocks of the page. */
  readonly from: readonly { readonly content: string }[];
  readonly id: string;
  /** Stands in place of the site that the definition names. */
  readonly site: Site;
  readonly params: Readonly<Record<string, string>>;
}

/** Scrapes a target by a definition of the docs; returns the texts of its records, and what the site was asked for. */
export async function readQuotes(t: TestContext, { from, id, site, params }: QuotesTarget) {
  const written = from.find(({ content }) => content.startsWith(`id: ${id}\n`))?.content;
  if (written === undefined) throw new Error(`no definition of ${id}`);
  const here = written.replaceAll('https://quotes.example', site.origin);
  const quick = 'allowPrivate: true\nrobots: ignore\npoliteness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }\n';
  const daemon = await startDaemon(t, { sources: { [id]: here + quick }, settings: soon });
  await daemon.client.call('project.add', { id: 'all', targets: [{ source: id, params }] });
  await nth(1, 'scrape.completed', 'all', daemon);
  const records = [...(await recordsOf(daemon.client)).values()];
  return {
    texts: records
      .map(({ fields }) => fields['text']?.value)
      .filter((text) => typeof text === 'string')
      .sort(),
    asked: site.asked.map(({ method, path }) => `${method} ${path}`),
  };
}
