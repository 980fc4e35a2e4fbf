/** A store of projects of one target each, filled by a process of its own, whose memory goes with it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { hostAddress } from './web/web.ts';
import type { ScheduleRow } from '../../src/schedule/row.ts';
import type { Scheduling } from '../../src/schedule/scheduling.ts';
import { commitStep } from '../../src/store/commit.ts';
import { addProject, type AddResult } from '../../src/store/projects.ts';
import { beginScrape } from '../../src/store/scrapes.ts';
import { openStore, type Store } from '../../src/store/store.ts';

export const hourMs = 3_600_000;
const batch = 1_000;

export interface Filling {
  readonly count: number;
  /** The addresses of the targets; by default spread over 1,000 hosts of loopback where nothing listens. */
  readonly urls?: readonly string[];
  /** The pace of the targets, as their source's definition says it as well; by default they fall due one after the other, two hours from now. */
  readonly pace?: FilledPace;
  /** Whether the projects have been tracked for a while. Default: they were just added. */
  readonly hasHistory?: boolean;
}

/** The sources and the labels that projects with history are spread over; the definition of each source is a `filledSource`. */
export const filledSources = 10;
export const filledLabels = 200;

/** Of so many projects with history, one was scraped twice, and one has a price that is held since. */
const changedEvery = 10;
const heldEvery = 500;

export type FilledPace =
  /** All are due at one instant that the pattern names, by the clocks of UTC. */
  | { readonly kind: 'cron'; readonly pattern: string; readonly dueAt: number }
  /** All are due at once. */
  | { readonly kind: 'continuous' }
  /** They fall due one after the other at the same distance, or all together, from `originAt` on over and over. */
  | { readonly kind: 'interval'; readonly everyMs: number; readonly originAt: number; readonly isTogether: boolean };

type Grid = Omit<Extract<FilledPace, { kind: 'interval' }>, 'kind'>;

/** The definition of a source whose targets are not due soon. */
export const filledSource = {
  id: 'shop',
  allowPrivate: true,
  politeness: { autoThrottle: false, delay: '1ms', minDelay: '1ms' },
  records: { product: { key: 'sku', fields: { sku: { css: 'h1', required: true } } } },
};

/** Makes the store in `folder/data`. */
export async function fillStore(folder: string, filling: Filling): Promise<void> {
  const child = fork(import.meta.filename, [folder], { execArgv: [] });
  child.send(filling);
  const [status] = (await once(child, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`a store could not be filled: status ${status}`);
}

if (import.meta.main) {
  const [filling] = (await once(process, 'message')) as [Filling];
  await fill(process.argv[2] ?? '', filling);
  process.disconnect();
}

async function fill(folder: string, filling: Filling): Promise<void> {
  const { count, urls } = filling;
  const store = await openStore({ path: join(folder, 'data'), now: Date.now, scheduling: schedulingOf(filling) });
  for (let from = 0; from < count; from += batch) {
    await Promise.all(
      Array.from({ length: Math.min(batch, count - from) }, (_, index) => {
        const number = from + index;
        const url = urls?.[number] ?? `http://${hostAddress(number % 1_000)}:8080/p/project-${number}`;
        return filling.hasHistory === true ? addWithHistory(store, number, url) : add(store, `project-${number}`, url);
      }),
    );
  }
  await store.close();
}

function add(
  store: Store,
  id: string,
  url: string,
  { source = 'shop', labels = [] }: { readonly source?: string; readonly labels?: readonly string[] } = {},
): Promise<AddResult> {
  return addProject(store, { id, name: id, labels, multiplier: 1, targets: [{ source, url }] });
}

/** Adds a project and scrapes its target. */
async function addWithHistory(store: Store, number: number, url: string): Promise<void> {
  const place = { source: `shop-${number % filledSources}`, labels: [`client-${number % filledLabels}`] };
  const added = await add(store, `project-${number}`, url, place);
  const target = added.ok ? added.project.targets[0] : undefined;
  if (target === undefined) throw new Error(`expected project-${number} to be new`);
  await scrapePrice(store, target, { number, url, price: 10 });
  if (number % changedEvery > 0) return;
  await scrapePrice(store, target, { number, url, price: number % heldEvery === 0 ? 5_000 : 11 });
}

/** Scrapes the one page of a target, which shows a product. */
export async function scrapePrice(
  store: Store,
  target: number,
  { number, url, price }: { readonly number: number; readonly url: string; readonly price: number },
): Promise<void> {
  const begun = await beginScrape(store, target, 'v1', { inMemory: true });
  if (!begun.ok) throw new Error(`target ${target} is ${begun.why}`);
  const at = Date.now();
  const sku = `SKU-${number}`;
  await commitStep(
    store,
    { ...begun.fence, step: 1 },
    {
      observedAt: at,
      drafts: [{ type: 'product', key: sku, fields: { sku, price, name: `Kettle number ${number}` } }],
      log: { url, at, elapsedMs: 40, bytes: 5_000, status: 200, absent: [], unparsed: [] },
      guards: { missing: true, empty: true, fields: { product: { price: { jump: { factor: 5 } } } } },
      close: { status: 'complete', finished: false },
    },
  );
}

function schedulingOf({ count, pace }: Filling): Scheduling {
  const at = Date.now();
  /** The lowest free slot of each host: a search for one passes all below it. */
  const slots = new Map<string, number>();
  return {
    first({ target, url }) {
      switch (pace?.kind) {
        case 'cron': {
          const { pattern, dueAt } = pace;
          return { target, since: dueAt - 1, pace: { kind: 'cron', pattern, zone: 'UTC' }, dueAt };
        }
        case 'continuous':
          return { target, since: at, pace: { kind: 'continuous', endedAt: at, failures: 0, draw: 0.5 }, dueAt: at };
        case 'interval':
          return onGrid(target, url, pace);
        case undefined:
          return onGrid(target, url, { everyMs: 4 * hourMs, originAt: at + 2 * hourMs, isTogether: false });
        default:
          return pace satisfies never;
      }
    },
    next: (_target, row) => row,
    verified: (_target, row) => ({ row, events: [] }),
    isKept: () => false,
    endsAt: () => undefined,
  };

  function onGrid(target: number, url: string, { everyMs, originAt, isTogether }: Grid): ScheduleRow {
    const phaseMs = isTogether ? 0 : ((target - 1) * everyMs) / count;
    const key = new URL(url).origin;
    const slot = slots.get(key) ?? 0;
    slots.set(key, slot + 1);
    const grid = { originAt, everyMs, slot, phaseMs, key };
    return { target, since: originAt + phaseMs - everyMs, pace: { kind: 'interval', grid }, dueAt: originAt + phaseMs };
  }
}
