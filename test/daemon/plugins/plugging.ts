import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ScrapeView, StepView, ScrapeWish } from '../../../src/view/scrape.ts';
import type { Log } from '../../../src/log.ts';
import { startDaemon, type TestDaemon, type TestDaemonOptions } from '../../support/daemon.ts';
import { isEnd } from '../lists/listing.ts';

/** A definition of trials that a plug-in finds, on loopback and without pauses. */
export function pluggedSource(id: string, more = ''): string {
  return `id: ${id}
plugin: ${id}.ts
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
${more}
records:
  trial:
    key: id
    fields:
      id: {}
      title: {}
      pages: { type: integer }
      begun: { type: date, formats: ['%d/%m/%Y'] }
`;
}

/** A line of the daemon's log. */
interface LogLine {
  readonly level: Parameters<Log>[0];
  readonly message: string;
  readonly data: Parameters<Log>[2];
}

/** A plug-in whose pages are JSON: `{ trials, next }`. */
export const pagesPlugin = `import { defineProvider } from 'heronry/provider';

export default defineProvider({
  request: ({ url, cursor }) => {
    const asked = new URL(url);
    if (cursor !== undefined) asked.searchParams.set('after', cursor);
    return { url: asked.href };
  },
  read(page) {
    const { trials, next } = page.json();
    return { drafts: trials.map((fields) => ({ type: 'trial', fields })), next };
  },
});
`;

export interface Plugged extends TestDaemon {
  /** What was logged so far, of scrapes and by plug-ins. */
  readonly lines: LogLine[];
  /** Writes or replaces the file of a plug-in; `source.reload` reads it. */
  plug(name: string, text: string): Promise<void>;
  /** Adds a project with a target on a source; resolves when its first scrape has ended. */
  track(source: string, place: { readonly url: string } | { readonly params: Record<string, string> }): Promise<Ended>;
  /** Has a project scraped once more; its id is its source's. */
  again(source: string, wish?: ScrapeWish): Promise<Ended>;
  /** Resolves when a source's scrape has ended, with its number and its steps. */
  ended(scrape: number): Promise<Ended>;
}

export interface Ended {
  readonly scrape: ScrapeView;
  readonly steps: readonly StepView[];
}

/** A daemon with plug-ins in its folder, by the names of their files. */
export async function startPlugged(
  test: TestContext,
  plugins: Readonly<Record<string, string>>,
  options: TestDaemonOptions,
): Promise<Plugged> {
  const lines: LogLine[] = [];
  const daemon = await startDaemon(test, {
    settings: { initialDelayMs: 1, everyMs: 14_400_000, timeLimitMs: 600_000, logLevel: 'silent' },
    log: (level, message, data) => void lines.push({ level, message, data }),
    ...options,
    sources: {},
  });
  const plug = async (name: string, text: string): Promise<void> => {
    await mkdir(join(daemon.folder, 'plugins'), { recursive: true });
    await writeFile(join(daemon.folder, 'plugins', name), text);
  };
  for (const [name, text] of Object.entries(plugins)) await plug(name, text);
  for (const [id, yaml] of Object.entries(options.sources)) await daemon.define(id, yaml);
  await daemon.client.call('source.reload', {});
  const ended = async (scrape: number): Promise<Ended> => {
    await daemon.event((event) => isEnd(event) && event.scrape === scrape);
    return daemon.client.call('scrape.get', { scrape, limit: 1_000 });
  };
  return {
    ...daemon,
    lines,
    plug,
    ended,
    async track(source, place) {
      await daemon.client.call('project.add', { id: source, targets: [{ source, ...place }] });
      const { scrape = 0 } = await daemon.event((event) => isEnd(event) && event.projects?.[0] === source);
      return ended(scrape);
    },
    async again(source, wish) {
      const { scrapes } = await daemon.client.call('project.rescrape', { id: source, ...(wish && { wish }) });
      return ended(scrapes[0]?.scrape ?? 0);
    },
  };
}

/** Lines of the log, as `level message`. */
export function told({ lines }: Plugged, pattern = /./): string[] {
  return lines.map(({ level, message }) => `${level} ${message}`).filter((line) => pattern.test(line));
}
