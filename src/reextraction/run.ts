import { type Catalogue, isPlugged, type PluggedSource } from '../definition/catalogue.ts';
import { openProvider } from '../provider/declared.ts';
import type { OpenProvider } from '../provider/provider.ts';
import type { Store } from '../store/store.ts';
import type { ReextractionRow } from '../store/tables/reextractions.ts';
import type { Vault } from '../vault/vault.ts';
import { applyJob } from './apply.ts';
import { compareRecords } from './compare-job.ts';
import { clearJobs, jobUnderWay, moveJob } from './job.ts';
import { type ReadDeps, readPages } from './read.ts';

/** What jobs need. */
export interface ReextractionDeps extends Pick<ReadDeps, 'extract'> {
  store(): Store;
  /** Missing where no pages are kept. */
  vault(): Vault | undefined;
  catalogue(): Catalogue;
  /** Opens a source that a plug-in reads. */
  openPlugged(loaded: PluggedSource, signal: AbortSignal): Promise<OpenProvider>;
}

/**
 * Goes on with the job that is under way, until it is ready, applied or cancelled, and removes what ended jobs have left. Does nothing
 * where none is. Rejects with `StoreFullError`, for errors of ours, and with the signal's reason when that fires.
 */
export async function runJob(deps: ReextractionDeps, signal: AbortSignal): Promise<void> {
  const store = deps.store();
  for (let job = jobUnderWay(store); job !== undefined; job = jobUnderWay(store)) {
    signal.throwIfAborted();
    if (job.state === 'reading') await read(deps, store, job, signal);
    else if (job.state === 'comparing') await compareRecords(store, job.job);
    else await applyJob(store, job.job);
  }
  await clearJobs(store);
}

async function read(deps: ReextractionDeps, store: Store, row: ReextractionRow, signal: AbortSignal): Promise<void> {
  const { job, source, version } = row;
  const [vault, loaded] = [deps.vault(), deps.catalogue().sources.get(source)];
  const failure =
    vault === undefined
      ? 'no pages are kept: heronry.yaml says `vault: off`'
      : loaded === undefined
        ? `source "${source}" has no definition that could be loaded`
        : loaded.version === version
          ? undefined
          : `the definition of "${source}" has changed since the job began: begin another`;
  if (vault === undefined || loaded === undefined || failure !== undefined) {
    await moveJob(store, job, ['reading'], { state: 'failed', failure: failure ?? '' });
    return;
  }
  const provider = isPlugged(loaded) ? await deps.openPlugged(loaded, signal) : openProvider(loaded.source);
  await readPages({ store, vault, loaded, provider, extract: deps.extract }, row, signal);
}
