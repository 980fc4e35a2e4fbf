import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { exportHandlers } from '../../src/control/handlers/export.ts';
import { type Catalogue, emptyCatalogue } from '../../src/definition/catalogue.ts';
import { SharedType } from '../../src/definition/shared-type.ts';
import { Source } from '../../src/definition/source.ts';
import type { RecordDraft } from '../../src/extract/draft.ts';
import { applyJob } from '../../src/reextraction/apply.ts';
import { commitStep } from '../../src/store/commit.ts';
import type { Store } from '../../src/store/store.ts';
import type { HistoryView } from '../../src/view/record.ts';
import { run, type Run } from '../cli/terminal.ts';
import { serve } from '../control/daemon.ts';
import { begin, step, temporaryStore, track } from '../store/fixture.ts';

/** The fields of a source of tests, as its definition has them; each is read from an element of its name. */
export type Fields = Readonly<Record<string, string>>;

/** A store with the control methods of exports over it. */
export interface ExportingDaemon {
  readonly store: Store;
  /** The socket. */
  readonly path: string;
  /** A folder for exports. */
  readonly folder: string;
  /** Stores drafts as a complete scrape of a target that finds them. */
  see(drafts: readonly RecordDraft[], observedAt?: number): Promise<void>;
  /** Corrects the title of each change of records, as kept pages that are read again do, in one job. */
  correct(title: (change: HistoryView) => string): Promise<void>;
  define(fields: Fields, is?: string): void;
  shareType(id: string, fields: Fields): void;
  /** Runs `heronry export` with these words. */
  export(...words: string[]): Promise<Run>;
}

/** Opens a store of the source `shop` with records of the type `item`. */
export async function exportingDaemon(t: TestContext, fields: Fields): Promise<ExportingDaemon> {
  const { store, clock } = await temporaryStore(t);
  const folder = await mkdtemp(join(tmpdir(), 'heronry-export-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  let catalogue: Catalogue = emptyCatalogue;
  define(fields);
  const [target = 0] = await track(store, 'solar');
  const handlers = exportHandlers({ store: () => store, catalogue: () => catalogue, clock: systemClock() });
  const { path } = await serve(t, handlers);

  return {
    store,
    path,
    folder,
    async see(drafts, observedAt = clock.now) {
      const fence = await begin(store, target);
      await commitStep(store, fence, step(observedAt, drafts, {}));
      clock.now += 60_000;
    },
    correct: (title) => correct(store, title),
    define,
    shareType(id, of) {
      const type = SharedType.parse({ id, fields: rulesOf(of, false) });
      catalogue = { ...catalogue, types: new Map([[id, type]]) };
    },
    export: (...words) => run(['export', ...words, '--socket', path], { cwd: folder }),
  };

  function define(of: Fields, is?: string): void {
    const source = Source.parse({
      id: 'shop',
      url: 'https://shop.test/{page}',
      records: { item: { key: 'id', fields: { id: 'h1', ...rulesOf(of, true) }, ...(is && { is }) } },
    });
    catalogue = { ...catalogue, sources: new Map([['shop', { source, version: 'v1' }]]) };
  }
}

async function correct(store: Store, title: (change: HistoryView) => string): Promise<void> {
  const job = await store.write(() => {
    const none = { createdAt: 1, pages: 0, unreadable: 0, damaged: 0, records: 0, changes: 0, present: 0, fields: {} };
    const added = store.reextractions.jobs.add((number) => ({
      ...{ job: number, source: 'shop', version: 'v2', state: 'applying' },
      ...none,
    }));
    for (const change of store.history.rows()) {
      const { record, at, target, scrape, serial } = change;
      const fields = { title: { new: title(change) } };
      const correction = { page: 'page', target, scrape, corrects: serial, fields };
      store.reextractions.corrections.put([added.job, record, at], correction);
    }
    return added.job;
  });
  await applyJob(store, job);
}

function rulesOf(fields: Fields, hasPlace: boolean) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, type]) => [name, { ...(hasPlace && { css: 'p' }), type }]),
  );
}
