import type { LoadedSource } from '../definition/catalogue.ts';
import type { RecordDraft } from '../extract/draft.ts';
import type { Page } from '../fetch/page.ts';
import type { OpenProvider, Reading } from '../provider/provider.ts';
import { ownDrafts } from '../scrape/item-walk.ts';
import { laterPage } from '../scrape/list-walk.ts';
import type { Store } from '../store/store.ts';
import type { ReextractedRow, ReextractionRow } from '../store/tables/reextractions.ts';
import type { KeptPage } from '../vault/entry.ts';
import { fetchedPage } from '../vault/kept-page.ts';
import type { Vault } from '../vault/vault.ts';

/** What a job needs to read kept pages. */
export interface ReadDeps {
  readonly store: Store;
  readonly vault: Vault;
  readonly loaded: LoadedSource;
  readonly provider: OpenProvider;
  /** Reads a page on a thread; resolves with `undefined` for one that nothing can be read from. Rejects with the signal's reason when that fires first. */
  extract(page: Page, reading: Reading, signal: AbortSignal): Promise<readonly RecordDraft[] | undefined>;
}

/** The rows and the pages of one transaction. */
const [batchRows, batchPages] = [200, 20];

/** The values that were read from pages and are not written yet. */
interface Batch {
  readonly rows: (ReextractedRow & { readonly record: number; readonly at: number })[];
  pages: number;
  unreadable: number;
  damaged: number;
}

/**
 * Reads the kept pages of a job again, from where it stands, and stores what they say of known records. Pages that the present definition
 * has read already are passed over where no job has corrected any change, and so are pages that nothing could be read from. Resolves with `false` where the job was cancelled.
 */
export async function readPages(
  deps: ReadDeps,
  { job, readTo, since = 0, ...of }: ReextractionRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, vault, loaded } = deps;
  await vault.resume();
  const packs = [...store.vault.packsOf(loaded.source.id)].toSorted((one, other) => one.pack - other.pack);
  let batch = emptyBatch();
  const targets = of.ticket === undefined ? undefined : membersOf(store, loaded.source.id, of.ticket);
  for (const pack of packs) {
    if (pack.pack < (readTo?.pack ?? 0) || pack.keptAt < since) continue;
    const from = pack.pack === readTo?.pack ? readTo : undefined;
    for await (const { page, next, isRepeat } of vault.entries(pack, from)) {
      signal.throwIfAborted();
      if (page === 'damaged') batch.damaged += 1;
      else if (isWanted(page)) await read(isRepeat ? await wholeOf(page) : page);
      if (batch.rows.length < batchRows && batch.pages < batchPages) continue;
      if (!(await write({ pack: pack.pack, ...next }))) return false;
    }
  }
  return write(undefined);

  function isWanted({ why, observedAt, version, target }: KeptPage): boolean {
    const mayDiffer = version !== of.version || store.history.hasCorrections();
    const isOfTicket = targets !== undefined && (targets.has(target) || targets.has(0));
    if (targets !== undefined && !isOfTicket) return false;
    return (why === 'changed' || (why === 'bad' && isOfTicket)) && observedAt >= since && mayDiffer;
  }

  /** A page that was kept twice, with the body of the first. */
  async function wholeOf(page: KeptPage): Promise<KeptPage | undefined> {
    const found = await vault.read(page.digest);
    return found.ok ? { ...page, body: found.page.body } : undefined;
  }

  async function read(page: KeptPage | undefined): Promise<void> {
    batch.pages += 1;
    const drafts = page && (await draftsOf(deps, page, signal));
    if (page === undefined) batch.damaged += 1;
    else if (drafts === undefined) batch.unreadable += 1;
    for (const { type, key, fields } of page === undefined ? [] : (drafts ?? [])) {
      const record = store.records.get(loaded.source.id, type, key)?.record;
      if (record === undefined || type !== (of.type ?? type)) continue;
      batch.rows.push({ record, at: page?.observedAt ?? 0, fields, ...evidence(page) });
    }
  }

  function evidence(page: KeptPage | undefined): Omit<ReextractedRow, 'fields'> {
    const { digest = '', target = 0, scrape = 0, version = '' } = page ?? {};
    return { page: digest, target, scrape, version };
  }

  /** Writes what was read; without a place, the job goes on to compare. */
  async function write(to: ReextractionRow['readTo']): Promise<boolean> {
    const written = batch;
    batch = emptyBatch();
    return store.write(() => {
      const { reextractions } = store;
      const row = reextractions.jobs.get(job);
      if (row?.state !== 'reading') return false;
      for (const { record, at, ...found } of written.rows) {
        const known = reextractions.read.get([job, record, at]);
        reextractions.read.put([job, record, at], { ...found, fields: { ...known?.fields, ...found.fields } });
      }
      const counts = {
        pages: row.pages + written.pages,
        unreadable: row.unreadable + written.unreadable,
        damaged: row.damaged + written.damaged,
      };
      reextractions.jobs.put(job, {
        ...row,
        ...counts,
        ...(to === undefined ? { state: 'comparing' } : { readTo: to }),
      });
      return true;
    });
  }
}

/** The targets that show a ticket; 0 stands for those of its source together. */
function membersOf(store: Store, source: string, ticket: number): ReadonlySet<number> {
  return new Set(store.tickets.membersOf(source, ticket));
}

function emptyBatch(): Batch {
  return { rows: [], pages: 0, unreadable: 0, damaged: 0 };
}

/** Reads a kept page by a definition: records of its own, or those whose items lead to it. Resolves with `undefined` where nothing can be read. */
export async function draftsOf(
  { store, loaded: { source }, provider, extract }: Omit<ReadDeps, 'vault'>,
  kept: KeptPage,
  signal: AbortSignal,
): Promise<readonly RecordDraft[] | undefined> {
  const { url, target, itemType: type } = kept;
  const page = fetchedPage(kept);
  if (type === undefined) {
    const { list, page: own } = provider;
    return extract(page, list === undefined ? own : laterPage(list.reading), signal);
  }
  const reading = provider.items?.reading(type);
  if (reading === undefined) return undefined;
  const records = store.itemPages
    .recordsOf(target, { type, url })
    .flatMap((number) => store.records.byNumber(number) ?? [])
    .filter((record) => record.source === source.id);
  const drafts = await extract(page, reading, signal);
  return drafts && ownDrafts(records, { drafts });
}
