import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { claim, type ClaimResult, releaseClaim } from '../../src/store/claim.ts';
import { temporaryFolder, temporaryStore } from './fixture.ts';

const one = { pid: 1, socket: '/run/one.sock', startedAt: 10 };
const other = { pid: 2, socket: '/run/other.sock', startedAt: 20 };

describe('the claim on a store', () => {
  test('is granted to the first daemon, and refused to another while that one lives', async (t) => {
    const { store } = await temporaryStore(t);
    assert.deepEqual(
      claim(store, one, () => assert.fail('nobody is there to ask')),
      { ok: true },
    );
    assert.deepEqual(
      claim(store, other, () => true),
      { ok: false, holder: one },
    );
    assert.deepEqual(store.meta.holder(), one);
  });

  test('is granted when the holder does not answer, which is asked by its name', async (t) => {
    const { store } = await temporaryStore(t);
    claim(store, one, () => true);
    const asked: unknown[] = [];
    const result = claim(store, other, (holder) => {
      asked.push(holder);
      return false;
    });
    assert.deepEqual([result, asked, store.meta.holder()], [{ ok: true }, [one], other]);
  });

  test('is granted again to who holds it, and after it was released', async (t) => {
    const { store } = await temporaryStore(t);
    claim(store, one, () => true);
    assert.deepEqual(
      claim(store, one, () => true),
      { ok: true },
    );
    releaseClaim(store, one);
    assert.deepEqual(
      claim(store, other, () => true),
      { ok: true },
    );
  });

  test('is not released by one who no longer holds it', async (t) => {
    const { store } = await temporaryStore(t);
    claim(store, one, () => true);
    claim(store, other, () => false);
    releaseClaim(store, one);
    assert.deepEqual(store.meta.holder(), other);
  });

  test('stays with the holder when the question throws', async (t) => {
    const { store } = await temporaryStore(t);
    claim(store, one, () => true);
    const question = (): boolean => {
      throw new Error('no answer');
    };
    assert.throws(() => claim(store, other, question), /no answer/);
    assert.deepEqual(store.meta.holder(), one);
  });

  test('of several processes at once is granted to one, and after its kill -9 to another', async (t) => {
    const path = temporaryFolder(t);
    const start = (): ChildProcess => {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'claiming.ts'), path], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      t.after(() => child.kill('SIGKILL'));
      return child;
    };
    const children = [start(), start(), start()];
    const results = await Promise.all(children.map(claimOf));
    const winners = children.filter((_, place) => results[place]?.ok);
    assert.equal(winners.length, 1);
    const [winner] = winners;
    assert.ok(results.every((result) => result.ok || result.holder.pid === winner?.pid));

    winner?.kill('SIGKILL');
    if (winner !== undefined) await once(winner, 'exit');
    assert.deepEqual(await claimOf(start()), { ok: true });
  });
});

async function claimOf(child: ChildProcess): Promise<ClaimResult> {
  assert.ok(child.stdout);
  for await (const line of createInterface(child.stdout)) return JSON.parse(line) as ClaimResult;
  throw new Error('the child ended before it said anything');
}
