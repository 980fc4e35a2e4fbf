import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { closeOpenScrapes } from '../../src/store/scrapes.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { hourly, temporaryFolder, track } from './fixture.ts';
import { assertLinked, linkItems, way } from './linking.ts';

const rounds = 8;
const targets = 8;

/** Has a process commit 200 steps and kills it when it has acknowledged `lines` of them; returns what it acknowledged. */
async function killAfter(t: TestContext, path: string, lines: number): Promise<string[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'committing.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    if (line !== 'ready') acknowledged.push(line);
    // What it acknowledges before the signal reaches it is read as well.
    if (acknowledged.length >= lines) child.kill('SIGKILL');
  }
  return acknowledged;
}

/** Whatever was committed is there whole, and once: record, history, event and run log tell the same steps. */
function stepsIn(store: Store): Set<string> {
  const scrapes = [...store.scrapes.rows()];
  const steps = scrapes.flatMap(({ scrape }) =>
    [...store.steps.ofScrape(scrape)].map(({ step }) => `${scrape}/${step}`),
  );
  const isStep = (key: unknown): key is string => typeof key === 'string' && /^\d+\/\d+$/.test(key);
  const sorted = steps.toSorted();
  assert.equal(new Set(steps).size, steps.length);
  assert.deepEqual(
    [...store.records.rows()]
      .map(({ key }) => key)
      .filter(isStep)
      .toSorted(),
    sorted,
  );
  assert.deepEqual(
    [...store.history.rows()]
      .map(({ key }) => key)
      .filter(isStep)
      .toSorted(),
    sorted,
  );
  const events = [...store.events.rows({ after: 0, limit: 100_000 })];
  assert.deepEqual(
    events
      .flatMap((event) => (event.type === 'record.added' ? event.data.key : []))
      .filter(isStep)
      .toSorted(),
    sorted,
  );
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map((_, place) => place + 1),
  );
  for (const row of scrapes) assert.equal(row.steps, [...store.steps.ofScrape(row.scrape)].length);
  return new Set(steps);
}

test(
  'a process killed during 200 commits has lost nothing that it acknowledged and doubled nothing',
  { timeout: 60_000 },
  async (t) => {
    const path = temporaryFolder(t);
    const open = (): Promise<Store> => openStore({ path, now: () => 1, scheduling: hourly });
    const store = await open();
    await track(store, 'lamp', ...Array.from({ length: targets }, (_, place) => `https://shop.test/${place}`));
    await linkItems(store, way('seen'));
    await store.close();

    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      acknowledged.push(...(await killAfter(t, path, Math.floor(Math.random() * 200))));
      const reopened = await open();
      const steps = stepsIn(reopened);
      assertLinked(reopened);
      assert.deepEqual(
        acknowledged.filter((each) => !steps.has(each)),
        [],
      );
      assert.ok([...reopened.scrapes.running()].length <= targets);
      await closeOpenScrapes(reopened);
      assert.ok([...reopened.targets.rows()].every(({ running }) => running === undefined));
      assert.equal([...reopened.schedule.byDue()].length, targets);
      await reopened.close();
    }
    assert.ok(acknowledged.length > 0);
  },
);
