import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { RecordDraft } from '../../src/extract/draft.ts';
import { addProject } from '../../src/store/projects.ts';
import type { Fence, StepOps } from '../../src/store/ops.ts';
import { beginScrape } from '../../src/store/scrapes.ts';
import type { Scheduling } from '../../src/schedule/scheduling.ts';
import type { HistoryView } from '../../src/view/record.ts';
import { openStore, type Store, type StoreOptions } from '../../src/store/store.ts';

export const hourMs = 3_600_000;

/** One grid for all: first after a second, then every hour at a minute per slot. */
export const hourly: Scheduling = {
  first(target, { at, neighbours }) {
    const [key, everyMs] = [target.source, target.watchers[0]?.schedule?.every ?? hourMs];
    const slot = neighbours.freeSlot(key, everyMs);
    const grid = { originAt: 0, everyMs, slot, phaseMs: slot * 60_000, key };
    const firstAt = at + 1_000;
    return { target: target.target, dueAt: firstAt, since: at, firstAt, pace: { kind: 'interval', grid } };
  },
  next(target, { dueAt, ...row }, { at, neighbours }) {
    if (row.rest !== undefined) return row;
    if (row.pace.kind !== 'interval') return { ...row, ...(dueAt !== undefined && { dueAt }) };
    const { grid: before } = row.pace;
    const everyMs = target.watchers[0]?.schedule?.every ?? hourMs;
    const slot = everyMs === before.everyMs ? before.slot : neighbours.freeSlot(before.key, everyMs);
    const grid = { ...before, everyMs, slot, phaseMs: slot * 60_000 };
    const rounds = Math.floor((at - grid.phaseMs) / everyMs) + 1;
    const { manualAt } = row;
    return {
      target: target.target,
      dueAt: grid.phaseMs + rounds * everyMs,
      since: at,
      pace: { kind: 'interval', grid },
      ...(manualAt !== undefined && { manualAt }),
    };
  },
  verified: (_target, row) => ({ row, events: [] }),
  isKept: () => false,
  endsAt: () => undefined,
};

/** A folder that is removed when the test ends. */
export function temporaryFolder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'heronry-store-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export interface TestStore {
  readonly store: Store;
  readonly path: string;
  /** The wall time that the store sees. */
  readonly clock: { now: number };
}

export async function temporaryStore(t: TestContext, options: Partial<StoreOptions> = {}): Promise<TestStore> {
  const path = options.path ?? temporaryFolder(t);
  const clock = { now: 1_000_000 };
  const store = await openStore({ path, now: () => clock.now, scheduling: hourly, ...options });
  t.after(() => store.close());
  return { store, path, clock };
}

/** Adds a project of one target per URL, all on the source `shop`; returns the numbers of its targets. */
export async function track(store: Store, id: string, ...urls: readonly string[]): Promise<readonly number[]> {
  const targets = (urls.length === 0 ? [`https://shop.test/${id}`] : urls).map((url) => ({ source: 'shop', url }));
  const added = await addProject(store, { id, name: id, labels: [], multiplier: 1, targets });
  if (!added.ok) throw new Error(`${id} is there already`);
  return added.project.targets;
}

/** Begins a scrape and returns the fence of its first step. */
export async function begin(store: Store, target: number): Promise<Fence> {
  const result = await beginScrape(store, target, 'v1');
  if (!result.ok) throw new Error(`target ${target} is ${result.why}`);
  return { ...result.fence, step: 1 };
}

/** Begins a scrape that is only in memory, as the daemon does with one of a single page. */
export async function beginInMemory(store: Store, target: number): Promise<Fence> {
  const result = await beginScrape(store, target, 'v1', { inMemory: true });
  if (!result.ok || !store.scrapes.isUnwritten(result.fence.scrape)) throw new Error(`target ${target} was written`);
  return { ...result.fence, step: 1 };
}

export function item(key: string, fields: RecordDraft['fields']): RecordDraft {
  return { type: 'item', key, fields };
}

/** A step that found `drafts` at `observedAt`; it closes its scrape when told how. */
export function step(
  observedAt: number,
  drafts: readonly RecordDraft[],
  close?: Partial<NonNullable<StepOps['close']>>,
): StepOps {
  const log = {
    url: 'https://shop.test/',
    at: observedAt,
    elapsedMs: 10,
    bytes: 100,
    status: 200,
    absent: [],
    unparsed: [],
  };
  return {
    observedAt,
    drafts,
    log,
    ...(close !== undefined && { close: { status: 'complete', finished: false, ...close } }),
  };
}

/** Types of all events after `serial`, in order. */
export function told(store: Store, serial = 0): string[] {
  return [...store.events.rows({ after: serial, limit: 1_000 })].map(({ type }) => type);
}

/** The changes that a target saw, the newest first. */
export function historyOf({ records, history }: Store, target: number): HistoryView[] {
  return [...records.numbersOfTarget(target), ...records.removedOfTarget(target)]
    .flatMap((record) => [...history.ofRecord(record)])
    .filter((change) => change.target === target)
    .sort((one, other) => other.serial - one.serial);
}

/** Removes the whole history of all records, also when the store is full. */
export function forgetHistory({ write, history, events }: Store): Promise<void> {
  return write(
    () => {
      for (const change of [...history.rows()]) {
        events.keepWhole(change);
        history.remove([change]);
      }
    },
    { evenWhenFull: true },
  );
}
