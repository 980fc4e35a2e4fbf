import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runAlone } from '../../src/engine/alone.ts';
import { openSite } from '../support/site.ts';

const never = new AbortController().signal;
const limits = { connectMs: 5_000, headersMs: 5_000, bodyMs: 5_000, totalMs: 10_000, maxBytes: 100_000 };

test('a step that runs alone asks from a process of its own, with the name of its daemon, at the time of the queues’ server', async (t) => {
  const site = await openSite(t, { '/a': 'a page' });
  const file = pathToFileURL(join(import.meta.dirname, '..', '..', 'src', 'alone.process.ts'));
  const run = runAlone({ file, userAgent: 'Alone/1', now: () => 1_000_000 });
  let sent = 0;
  const outcome = await run({ request: { url: site.url('/a'), allowPrivate: true, limits } }, never, () => (sent += 1));
  assert.equal(outcome.kind === 'page' && Buffer.from(outcome.page.body).toString(), 'a page');
  assert.ok(outcome.at >= 1_000_000 && outcome.at < 1_060_000, `${outcome.at}`);
  assert.equal(site.asked[0]?.headers['user-agent'], 'Alone/1');
  assert.equal(sent, 1);
});
