/** Fills a store with projects of one target each, spread over 1,000 hosts of loopback, none of which is due for two hours. */
import { join } from 'node:path';
import { hostAddress } from '../test/support/web/web.ts';
import { addProject } from '../src/store/projects.ts';
import type { Scheduling } from '../src/schedule/scheduling.ts';
import { openStore } from '../src/store/store.ts';

export const hourMs = 3_600_000;
const hosts = 1_000;
const batch = 1_000;

/** The definition of their source, for the folder of definitions. */
export const filledSource = `id: shop
provider: html
allowPrivate: true
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
records:
  product:
    key: sku
    fields:
      sku: { css: h1, required: true }
`;

/** Nothing falls due while it is measured. */
function later(count: number): Scheduling {
  const at = Date.now() + 2 * hourMs;
  return {
    first: ({ target, url }) => {
      const slot = target % (count / hosts + 1);
      const grid = { originAt: at, everyMs: 4 * hourMs, slot, phaseMs: target, key: new URL(url).origin };
      return { target, since: at + target - 4 * hourMs, pace: { kind: 'interval', grid }, dueAt: at + target };
    },
    next: (_target, row) => row,
    verified: (_target, row) => ({ row, events: [] }),
    isKept: () => false,
  };
}

/** Makes the store in `folder/data`. */
export async function fillStore(folder: string, count: number): Promise<void> {
  const store = await openStore({ path: join(folder, 'data'), now: Date.now, scheduling: later(count) });
  for (let from = 0; from < count; from += batch) {
    await Promise.all(
      Array.from({ length: Math.min(batch, count - from) }, (_, index) => {
        const id = `project-${from + index}`;
        const target = { source: 'shop', url: `http://${hostAddress((from + index) % hosts)}:8080/p/${id}` };
        return addProject(store, { id, name: id, labels: [], multiplier: 1, targets: [target] });
      }),
    );
  }
  await store.close();
}
