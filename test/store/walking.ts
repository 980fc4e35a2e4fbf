import { writeSync } from 'node:fs';
import { openStore } from '../../src/store/store.ts';
import { finite, walk } from './crawling.ts';
import { hourly } from './fixture.ts';

// Crawls a site of 200 pages, or goes on with that, says of each page when it is acknowledged, and is killed in the midst of another.
const [path = '', pages = ''] = process.argv.slice(2);
const store = await openStore({ path, now: Date.now, scheduling: hourly });
let left = Number(pages);
await walk(store, finite, {
  done(url) {
    writeSync(1, `${url}\n`);
    left -= 1;
    if (left === 0) setImmediate(() => process.kill(process.pid, 'SIGKILL'));
  },
});
