import { writeSync } from 'node:fs';
import { commitStep } from '../../src/store/commit.ts';
import { closeOpenScrapes } from '../../src/store/scrapes.ts';
import { openStore } from '../../src/store/store.ts';
import { begin, hourly, item, step } from './fixture.ts';

// Commits 200 steps in all, of scrapes of every target at once, and says of each when it is acknowledged.
const [path = ''] = process.argv.slice(2);
const store = await openStore({ path, now: Date.now, scheduling: hourly });
await closeOpenScrapes(store);
const targets = [...store.targets.rows()].map(({ target }) => target);
const steps = 200 / targets.length;
writeSync(1, 'ready\n');
await Promise.all(targets.map((target) => scrape(target)));
process.exit(0);

async function scrape(target: number): Promise<void> {
  const fence = await begin(store, target);
  for (let number = 1; number <= steps; number += 1) {
    const drafts = [
      item(`${fence.scrape}/${number}`, { number }),
      item(`of target ${target}`, { seen: `${fence.scrape}/${number}` }),
    ];
    const close = number === steps ? {} : undefined;
    await commitStep(store, { ...fence, step: number }, step(fence.scrape * 1_000 + number, drafts, close));
    writeSync(1, `${fence.scrape}/${number}\n`);
  }
}
