import { isDeepStrictEqual } from 'node:util';
import { type Catalogue, hasCollector, isPlugged, type LoadedSource } from '../definition/catalogue.ts';
import { ruleDigests } from '../definition/rule-digests.ts';
import { defined } from '../defined.ts';
import type { Source } from '../definition/source.ts';
import { openProvider } from '../provider/declared.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';
import type { ReplayView } from '../view/replay.ts';
import { compareReadings, type PageReadings } from './compare-readings.ts';
import { draftsOf, type ReadDeps } from './read.ts';
import { replayedPages } from './replayed-pages.ts';

/** What is needed to read kept pages by two versions of a definition. */
export interface ReplayDeps extends Pick<ReadDeps, 'extract'> {
  readonly store: Store;
  readonly vault: Vault;
  /** Returns the present monotonic time, in ms. */
  monotonic(): number;
}

/** The time after which no further page is read, for all sources of a reload together, in ms. */
const limitMs = 20_000;

/** The most records that one version gives of a page which are compared. */
const comparedDrafts = 1_000;

/**
 * Reads kept pages of each source by the version in use and by another one, where these read differently, and says how the records differ. No site is asked, and
 * nothing is stored. Sources without kept pages, and those that plug-ins or programs read, are left out, and so is what 20 s do not suffice for. Rejects with the
 * signal's reason when that fires.
 */
export async function replayAll(
  deps: ReplayDeps,
  inUse: Pick<Catalogue, 'sources'>,
  loaded: readonly LoadedSource[],
  signal: AbortSignal,
): Promise<readonly ReplayView[]> {
  const endAt = deps.monotonic() + limitMs;
  const replays: ReplayView[] = [];
  for (const now of loaded) {
    const before = inUse.sources.get(now.source.id);
    if (before === undefined || !readsOtherwise(before, now)) continue;
    const replay = await replayOne(deps, before, now, { signal, endAt });
    if (replay !== undefined) replays.push(replay);
  }
  return replays;
}

/** Whether two versions read pages by other rules, both without a plug-in. */
function readsOtherwise(before: LoadedSource, now: LoadedSource): boolean {
  if (before.version === now.version || [before, now].some((each) => isPlugged(each) || hasCollector(each)))
    return false;
  const [{ '': _asked, ...old }, { '': __asked, ...next }] = [ruleDigests(before), ruleDigests(now)];
  return !isDeepStrictEqual(old, next);
}

async function replayOne(
  deps: ReplayDeps,
  before: LoadedSource,
  now: LoadedSource,
  { signal, endAt }: { readonly signal: AbortSignal; readonly endAt: number },
): Promise<ReplayView | undefined> {
  const { store, vault, extract } = deps;
  const { id } = now.source;
  const types = [...new Set([before, now].flatMap(({ source }) => Object.keys(source.records)))];
  const readers = [before, now].map((loaded) => ({ store, extract, loaded, provider: openProvider(loaded.source) }));
  const readings: PageReadings[] = [];
  for (const page of deps.monotonic() < endAt ? await replayedPages(store, vault, { source: id, types }) : []) {
    if (deps.monotonic() >= endAt) break;
    signal.throwIfAborted();
    const [old = [], next = []] = await Promise.all(
      readers.map(async (reader) => (await draftsOf(reader, page, signal))?.slice(0, comparedDrafts)),
    );
    readings.push({ page: page.digest, ...defined({ itemType: page.itemType }), before: old, now: next });
  }
  if (readings.length === 0) return undefined;
  const { version: from } = before;
  const emptied = emptiedTypes(readings, now.source);
  return {
    source: id,
    from,
    version: now.version,
    pages: readings.length,
    ...compareReadings(readings),
    ...(emptied.length > 0 && { emptied }),
  };
}

/** Returns the types that a definition has and that it reads none of any more: of items' pages and of all others apart, as either may still be read while the other is not. */
function emptiedTypes(readings: readonly PageReadings[], { records }: Source): NonNullable<ReplayView['emptied']> {
  return Object.entries(records).flatMap(([type, { page }]) =>
    [false, ...(page === undefined ? [] : [true])].flatMap((ofItems) => {
      const pages = readings.filter(({ itemType }) => (itemType !== undefined) === ofItems);
      const count = (side: 'before' | 'now'): number =>
        pages.flatMap((each) => each[side]).filter((draft) => draft.type === type).length;
      const before = count('before');
      return before > 0 && count('now') === 0 ? [{ type, ofItems, before }] : [];
    }),
  );
}

/** Whether a version reads no record of any page, though the one in use does. */
export function losesAll({ before, records }: ReplayView): boolean {
  return before > 0 && records === 0;
}
