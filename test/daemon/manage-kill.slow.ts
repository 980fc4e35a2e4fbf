import assert from 'node:assert/strict';
import { watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { openStore } from '../../src/store/store.ts';
import { begin, hourly, item, step, track } from '../store/fixture.ts';
import { productSource } from '../support/daemon.ts';
import { daemonFolder, type OwnDaemon, startOwnDaemon } from './own-daemon.ts';

const total = 4_000;

/** A folder whose store has a project of one target with very many records. */
async function filledFolder(t: TestContext): Promise<string> {
  const folder = await daemonFolder(t, { shop: productSource('shop') });
  const store = await openStore({ path: join(folder, 'data'), now: Date.now, scheduling: hourly });
  const [target = 0] = await track(store, 'solar', 'http://127.0.0.1:9/solar');
  const fence = await begin(store, target);
  for (let at = 1; at <= total / 1_000; at += 1) {
    const drafts = Array.from({ length: 1_000 }, (_, index) => item(`${at}/${index}`, { at }));
    await commitStep(store, { ...fence, step: at }, step(at, drafts, at === total / 1_000 ? {} : undefined));
  }
  await store.close();
  return folder;
}

async function countOf({ client }: OwnDaemon, id: string): Promise<number> {
  let count = 0;
  let after: string | undefined;
  do {
    const slice = await client.call('source.records', { id, limit: 1_000, ...(after !== undefined && { after }) });
    count += slice.records.length;
    after = slice.next;
  } while (after !== undefined);
  return count;
}

describe('a daemon that is killed', () => {
  test('while it deletes a project goes on at its next start, until nothing of it is left', async (t) => {
    const folder = await filledFolder(t);
    const first = await startOwnDaemon(folder);
    const { promise: isBegun, resolve: begin } = Promise.withResolvers<void>();
    await first.client.subscribe({ after: 0 }, ({ type }) => type === 'record.removed' && begin());
    const deleting = assert.rejects(first.client.call('project.delete', { id: 'solar', records: true }));
    await isBegun;
    await first.kill();
    await deleting;
    const daemon = await startOwnDaemon(folder);
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    let removed = 0;
    await daemon.client.subscribe({ after: 0 }, ({ type }) => {
      removed += Number(type === 'record.removed');
      if (removed === total) resolve();
    });
    await isOver;
    assert.equal(await countOf(daemon, 'shop'), 0);
    await assert.rejects(daemon.client.call('project.get', { id: 'solar' }), { code: 'not_found' });
    await daemon.kill();
  });

  test('while it renames a source has it whole under one of both ids', async (t) => {
    const folder = await filledFolder(t);
    let [now, other] = ['shop', 'store'];
    const renamed: boolean[] = [];
    for (const changes of [1, 2, 3, 4, 5, 6]) {
      const [from, to] = [now, other];
      const first = await startOwnDaemon(folder);
      let seen = 0;
      const { promise: isReached, resolve } = Promise.withResolvers<void>();
      const watcher = watch(join(folder, 'sources'), () => {
        seen += 1;
        if (seen === changes) resolve();
      });
      const renaming = first.client.call('source.rename', { id: from, to }).catch(() => undefined);
      await Promise.race([isReached, renaming]);
      watcher.close();
      await first.kill();
      await renaming;
      const daemon = await startOwnDaemon(folder);
      const { sources } = await daemon.client.call('source.list', {});
      const own = sources.filter(({ builtIn }) => !builtIn);
      assert.deepEqual(
        own.map(({ status, targets }) => [status, targets]),
        [['ready', 1]],
      );
      now = own[0]?.id ?? '';
      other = now === from ? to : from;
      renamed.push(now === to);
      const files = await readdir(join(folder, 'sources'));
      assert.deepEqual(
        files.filter((name) => !name.startsWith('.')),
        [`${now}.yaml`],
      );
      assert.equal(await countOf(daemon, now), total);
      await daemon.kill();
    }
    t.diagnostic(`renamed: ${renamed.map(Number).join('')}`);
  });
});
