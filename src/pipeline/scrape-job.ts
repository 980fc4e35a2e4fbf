import { setImmediate } from 'node:timers/promises';
import type { ScrapeJob } from '../definition/pipeline.ts';
import { projectIndexOf } from '../store/project-index.ts';
import { requestIn, scrapable } from '../store/scrapes.ts';
import type { Store } from '../store/store.ts';
import { statusFor } from '../store/tables/project-status.ts';
import type { ScrapeRow } from '../store/tables/rows.ts';
import { type JobRow, type Scraped, scrapesOf } from '../store/tables/pipelines.ts';
import { isRunning, type JobEnd, type RunningJob } from './runs.ts';

/** What a job that scrapes needs. */
export interface ScrapeJobDeps {
  store(): Store;
  /** Whether the definition of a source is loaded. */
  isLoaded(source: string): boolean;
  /** Makes the projects that scrape these targets read their rows again. */
  look(targets: readonly number[]): void;
}

const nothing: Scraped = { scrapes: 0, failed: 0, added: 0, changed: 0, failures: [] };

/** Scrapes that are asked for in one transaction, those whose ends are stored in one, and projects that are looked at in one go: some milliseconds. */
const atOnce = { asked: 16, ended: 100, looked: 200 };

/** The failures that are named. */
const named = 5;

const endTypes: ReadonlySet<string> = new Set([
  'scrape.completed',
  'scrape.failed',
  'scrape.aborted',
  'scrape.cancelled',
]);

/**
 * Asks for a scrape of each target that is wanted, and waits for their ends; what was asked for before the daemon ended is not asked for again.
 * Fails where a scrape did. Rejects with the signal's reason when that fires, and with `StoreFullError`.
 */
export async function runScrapeJob(
  deps: ScrapeJobDeps,
  running: RunningJob,
  wanted: ScrapeJob,
  signal: AbortSignal,
): Promise<JobEnd> {
  const store = deps.store();
  const { pipeline, run, name, tries } = running;
  if (scraped() === undefined) {
    const unknown = wanted.projects?.find((id) => !store.projects.has(id));
    if (unknown !== undefined) return { failure: `no project "${unknown}"` };
    const targets = await targetsOf(store, wanted, deps);
    if (targets.length === 0) return { failure: 'no target that can be scraped is of what it wants' };
    await ask(targets);
  }
  await waitForEnds();
  const { failed, scrapes, failures, ...found } = scraped() ?? nothing;
  if (failed === 0) return { result: { scrapes, ...found } };
  const more = failed > failures.length ? `; and ${failed - failures.length} more` : '';
  return { failure: `${failed} of ${scrapes} scrapes failed: ${failures.join('; ')}${more}` };

  function scraped(): Scraped | undefined {
    return store.pipelines.runs.get([pipeline, run])?.jobs.find((job) => job.name === name)?.scraped;
  }

  /** Changes the row of the job, unless the job is no longer running. Returns whether it is. To be called within a transaction. */
  function putJob(change: (job: JobRow) => Partial<JobRow>): boolean {
    const { runs } = store.pipelines;
    const row = runs.get([pipeline, run]);
    if (row === undefined || !isRunning(row, name, tries)) return false;
    const jobs = row.jobs.map((job) => (job.name === name ? { ...job, ...change(job) } : job));
    runs.put([pipeline, run], { ...row, jobs });
    return true;
  }

  async function ask(targets: readonly number[]): Promise<void> {
    const { scrapes: rows } = store.pipelines;
    for (let from = 0; from < targets.length; from += atOnce.asked) {
      signal.throwIfAborted();
      const slice = targets.slice(from, from + atOnce.asked);
      await store.write(
        (change) => {
          if (!putJob(() => ({}))) return;
          for (const target of slice) {
            if (rows.has([pipeline, run, name, target])) continue;
            const asked = requestIn(store, change, target);
            if (asked.ok) rows.put([pipeline, run, name, target], asked.scrape);
          }
        },
        { durable: true },
      );
      deps.look(slice);
    }
    await store.write(() => void putJob(() => ({ scraped: nothing })), { durable: true });
  }

  async function waitForEnds(): Promise<void> {
    const waiting = new Map<number, number>();
    const ended = new Set<number>();
    let wake = (): void => undefined;
    const stop = store.onEvents((_, told) => {
      for (const { type, scrape } of told)
        if (endTypes.has(type) && scrape !== undefined && waiting.has(scrape)) ended.add(scrape);
      if (ended.size > 0) wake();
    });
    const abort = (): void => wake();
    signal.addEventListener('abort', abort);
    try {
      for (const { key, row } of store.pipelines.scrapes.entries(scrapesOf(pipeline, run, name))) {
        waiting.set(row, key[3]);
        ended.add(row);
      }
      for (;;) {
        signal.throwIfAborted();
        if (ended.size > 0) await settle(waiting, ended);
        else if (waiting.size === 0) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      stop();
      signal.removeEventListener('abort', abort);
    }
  }

  /** Counts some scrapes that ended. One that is asked for again, as it was cut, is waited for in its place. */
  async function settle(waiting: Map<number, number>, ended: Set<number>): Promise<void> {
    const some = [...ended].slice(0, atOnce.ended);
    for (const scrape of some) ended.delete(scrape);
    const over = await store.write(() => {
      const { scrapes: rows } = store.pipelines;
      const found = some.map((scrape) => ({ scrape, target: waiting.get(scrape) ?? 0, next: nextOf(scrape) }));
      const done = found.filter(({ next }) => next === undefined);
      const isKnown = putJob((job) => ({
        scraped: done.reduce((sum, { scrape }) => counted(sum, scrape), job.scraped ?? nothing),
      }));
      if (!isKnown) return found.map((each) => ({ ...each, next: undefined }));
      for (const { target, next } of found)
        if (next === undefined) rows.remove([pipeline, run, name, target]);
        else rows.put([pipeline, run, name, target], next);
      return found;
    });
    for (const { scrape, target, next } of over) {
      if (next !== scrape) waiting.delete(scrape);
      if (next !== undefined && next !== scrape) {
        waiting.set(next, target);
        ended.add(next);
      }
    }
  }

  /** The scrape that is to be waited for: the same while it is not over, the next one where it is asked for again, else none. */
  function nextOf(number: number): number | undefined {
    const scrape = store.scrapes.get(number);
    if (scrape === undefined) return undefined;
    if (scrape.status === 'waiting' || scrape.status === 'running') return number;
    return scrape.status === 'complete' ? undefined : store.targets.get(scrape.target)?.waiting;
  }

  function counted(sum: Scraped, number: number): Scraped {
    const scrape = store.scrapes.get(number);
    const isComplete = scrape?.status === 'complete';
    return {
      scrapes: sum.scrapes + 1,
      failed: sum.failed + (isComplete ? 0 : 1),
      added: sum.added + (scrape?.counts.added ?? 0),
      changed: sum.changed + (scrape?.counts.changed ?? 0),
      failures:
        isComplete || sum.failures.length === named ? sum.failures : [...sum.failures, failureText(number, scrape)],
    };
  }
}

function failureText(number: number, scrape: ScrapeRow | undefined): string {
  if (scrape === undefined) return `scrape ${number} is gone`;
  const { source, status, failure } = scrape;
  return `scrape ${number} of ${source}: ${failure?.message ?? status}`;
}

/** The targets that a job wants and that can be scraped, each once. */
async function targetsOf(
  store: Store,
  { projects, labels, sources }: ScrapeJob,
  { isLoaded }: Pick<ScrapeJobDeps, 'isLoaded'>,
): Promise<number[]> {
  const found = new Set<number>();
  for (const [index, project] of (await projectIndexOf(store).all()).entries()) {
    if (index % atOnce.looked === atOnce.looked - 1) await setImmediate();
    if (project.isArchived || projects?.includes(project.id) === false) continue;
    if (labels !== undefined && !labels.some((label) => project.labels.includes(label))) continue;
    for (const number of store.projects.get(project.id)?.targets ?? []) {
      const target = store.targets.get(number);
      if (target === undefined || sources?.includes(target.source) === false) continue;
      if (statusFor(project.id, target) === 'disabled' || !isLoaded(target.source)) continue;
      if (scrapable(store, number).ok) found.add(number);
    }
  }
  return [...found];
}
