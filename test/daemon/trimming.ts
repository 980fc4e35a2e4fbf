import { trim } from '../../src/store/retention.ts';
import { openStore } from '../../src/store/store.ts';
import { forgetHistory, hourly } from '../store/fixture.ts';

// Makes room in the store in a folder, as a person would who removes old history beside a running daemon.
const [path = ''] = process.argv.slice(2);
const store = await openStore({ path, now: Date.now, scheduling: hourly });
await trim(store, { events: 1, scrapes: 1, steps: 1 });
await forgetHistory(store);
await store.close();
