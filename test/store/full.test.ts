import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { StoreFullError } from '../../src/store/lmdb/environment.ts';
import { trim } from '../../src/store/retention.ts';
import type { Fence } from '../../src/store/ops.ts';
import type { Store } from '../../src/store/store.ts';
import { table } from '../../src/store/lmdb/table.ts';
import { begin, forgetHistory, item, step, temporaryFolder, temporaryStore, track } from './fixture.ts';

const limitBytes = 2_000_000;

/** Commits records until the store refuses one; returns how many it took and the refusal. */
async function fill(store: Store, fence: Fence): Promise<{ readonly committed: number; readonly refusal: unknown }> {
  for (let committed = 0; ; committed += 1) {
    const at = fence.step + committed;
    try {
      await commitStep(store, { ...fence, step: at }, step(at, [item(`${at}`, { text: 'x'.repeat(2_000) })]));
    } catch (refusal) {
      return { committed, refusal };
    }
  }
}

describe('a store that has reached its limit', () => {
  test('refuses commits with a clear error, and is read as before', async (t) => {
    const { store, path } = await temporaryStore(t, { limitBytes });
    const [target = 0] = await track(store, 'lamp');
    const { committed, refusal } = await fill(store, await begin(store, target));
    assert.ok(refusal instanceof StoreFullError);
    assert.equal(refusal.code, 'map_full');
    assert.match(refusal.message, /bytes are in use: expected less than the limit of 2000000$/);
    assert.ok(committed > 50);
    assert.ok(statSync(join(path, 'data.mdb')).size < limitBytes * 1.1);
    assert.equal(store.records.count(), committed);
    assert.equal(store.history.count(), committed);
    assert.equal(store.records.get('shop', 'item', '1')?.fields['text']?.observedAt, 1);
  });

  test('goes on with the same scrape after it was trimmed', async (t) => {
    const { store } = await temporaryStore(t, { limitBytes });
    const [target = 0] = await track(store, 'lamp');
    const fence = await begin(store, target);
    const { committed } = await fill(store, fence);
    assert.ok((await trim(store, { events: 10, scrapes: 10, steps: 10 })) > 0);
    await forgetHistory(store);
    const more = await fill(store, { ...fence, step: committed + 1 });
    assert.ok(more.committed > 10);
    assert.equal(store.records.count(), committed + more.committed);
    assert.equal(store.history.count(), more.committed);
  });

  test('goes on when it is opened with a higher limit', async (t) => {
    const small = await temporaryStore(t, { limitBytes });
    const [target = 0] = await track(small.store, 'lamp');
    const fence = await begin(small.store, target);
    const { committed } = await fill(small.store, fence);
    await small.store.close();
    const { store } = await temporaryStore(t, { path: small.path });
    const result = await commitStep(store, { ...fence, step: committed + 1 }, step(9_999, [item('more', {})]));
    assert.equal(result.outcome, 'committed');
  });
});

test('what a store holds is counted once, however often its tables were opened', async (t) => {
  const { store } = await temporaryStore(t, { limitBytes });
  const [target = 0] = await track(store, 'lamp');
  const fence = await begin(store, target);
  const { committed } = await fill(store, fence);
  await trim(store, { events: 10, scrapes: 10, steps: 10 });
  await forgetHistory(store);
  for (let times = 0; times < 5; times += 1) table(store.environment, 'records');
  const result = await commitStep(store, { ...fence, step: committed + 1 }, step(9_999, [item('more', {})]));
  assert.equal(result.outcome, 'committed');
});

interface Filled {
  readonly committed: number;
  readonly read: number;
  readonly refusals: readonly string[];
  /** Whether scraping went on though there was no room. */
  readonly resumed: boolean;
}

test(
  'a disk that takes no more is a clear error, told as full only without room: reads go on, nothing is corrupted',
  { skip: process.platform === 'win32' },
  async (t) => {
    const path = temporaryFolder(t);
    // A process that may write no file of more than 4,000 blocks stands for the disk; its writes fail as they would there.
    const child = spawnSync(
      'sh',
      ['-c', 'ulimit -f 4000 && exec "$0" "$@"', process.execPath, join(import.meta.dirname, 'filling.ts'), path],
      {
        encoding: 'utf8',
      },
    );
    assert.equal(child.status, 0, child.stderr);
    const { committed, read, refusals, resumed } = JSON.parse(child.stdout) as Filled;
    assert.ok(committed > 50);
    assert.equal(read, committed);
    assert.deepEqual(refusals, ['disk_failed', 'disk_failed', 'disk_failed']);
    assert.equal(resumed, false);
    assert.doesNotMatch(child.stderr, /^ +at /m, 'no stack of a failed write');

    const { store } = await temporaryStore(t, { path });
    assert.deepEqual(
      [store.records.count(), store.history.count(), store.steps.count()],
      [committed, committed, committed],
    );
    const [scrape] = store.scrapes.running();
    assert.equal(scrape?.steps, committed);
    const fence = { target: scrape.target, epoch: scrape.epoch, scrape: scrape.scrape, step: committed + 1 };
    assert.equal((await commitStep(store, fence, step(9_999, [item('more', {})]))).outcome, 'committed');
  },
);
