import { writeSync } from 'node:fs';
import { commitStep } from '../../src/store/commit.ts';
import { StoreFullError } from '../../src/store/lmdb/environment.ts';
import { createPause } from '../../src/store/pause.ts';
import { openStore } from '../../src/store/store.ts';
import { systemClock } from '../../src/clock.ts';
import { begin, hourly, item, step, track } from './fixture.ts';

// Commits to the store in a folder until it is full, then says what it was told and what it can still read.
const [path = ''] = process.argv.slice(2);
const store = await openStore({ path, now: Date.now, scheduling: hourly });
const [target = 0] = await track(store, 'lamp');
const fence = await begin(store, target);
const refusals: string[] = [];
let committed = 0;
while (refusals.length < 3 && committed < 5_000) {
  const drafts = [item(`${committed + 1}`, { text: 'x'.repeat(2_000) })];
  try {
    await commitStep(store, { ...fence, step: committed + 1 }, step(committed + 1, drafts));
    committed += 1;
  } catch (error) {
    refusals.push(error instanceof StoreFullError ? error.code : String(error));
  }
}
const pause = createPause({ clock: systemClock(), store: () => store, resumeEveryMs: 1, onPause: () => undefined });
await pause.unlessFull(() => Promise.reject(new StoreFullError('disk_full', 'no room')));
const resumed = await pause.resume();
const read = [...store.records.ofTarget(target)].length;
writeSync(1, `${JSON.stringify({ committed, read, refusals, resumed })}\n`);
process.exit(0);
