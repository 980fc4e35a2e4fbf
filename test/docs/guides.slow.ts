import { describe, test } from 'node:test';
import { runnablePages } from './fences.ts';
import { runPage } from './run-page.ts';

// Beside each other, as they wait for turns of hosts most of the time.
describe('every block does what its page shows', { concurrency: 3 }, () => {
  for (const page of runnablePages) test(page, { timeout: 300_000 }, (t) => runPage(t, page));
});
