import assert from 'node:assert/strict';
import { test } from 'node:test';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { pluggedSource } from './plugins/plugging.ts';
import { politeSource } from './polite/support.ts';
import { forEachQueueServer, openHeldPages } from './worker-cluster.ts';

const asFastAsCan = 'autoThrottle: false, concurrency: 64, delay: 0ms, minDelay: 0ms';
const sources = {
  patient: politeSource('patient', {
    politeness: asFastAsCan,
    retry: 'times: 2',
    more: 'limits: { headers: 120s }',
  }),
  failing: politeSource('failing', { politeness: asFastAsCan, retry: 'times: 3, first: 500ms' }),
  // Siblings of siblings of what is not there: cubic in their number.
  limited: productSource('limited', 'limits: { maxBytes: 1MiB, extract: 1s }').replace(
    'state: { css: .state }',
    'state: { css: ".no ~ p ~ p" }',
  ),
  hoarding: pluggedSource('hoarding'),
};
const plugIns = {
  'hoarding.ts': `import { defineProvider } from 'heronry/provider';

export default defineProvider({
  request: ({ url }) => ({ url }),
  read() {
    const kept = [];
    for (;;) kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
  },
});
`,
};

forEachQueueServer('steps of worker processes that take them from', { sources, plugIns }, (cluster) => {
  test('that take longer than the lock are asked for once, unless their process has to end: another one asks again (S7, S10)', async (t) => {
    const { track, completed, work } = await cluster();
    const pages = await openHeldPages(t, 2);
    const first = await work(t, 1);
    await track('cut', 'patient', pages.urls.slice(0, 1));
    await pages.came(1);
    await work(t, 2);
    await track('long', 'patient', pages.urls.slice(1));
    await pages.came(2);
    const from = performance.now();
    process.kill(first.process.pid, 'SIGTERM');
    // Its patience is over after 20 s, and the lock of a step after 15 s.
    await pages.came(3);
    assert.ok(performance.now() - from > 19_000);
    assert.equal((await first.process.ended).status, 0);
    pages.answerAll();
    await completed('cut', 1);
    await completed('long', 1);
    assert.deepEqual(pages.asked, [0, 1, 0]);
  });

  test('that fail are made again after pauses that double, and not before they are over, then are failed, with why (S20, S22)', async (t) => {
    const { client, track, failed, work } = await cluster();
    await work(t, 2);
    const site = await openSite(t, { '/broken': { status: 500 } });
    await track('failing', 'failing', [site.url('/broken')]);
    const { scrape } = await failed('failing');
    assert.equal(site.asked.length, 4);
    const gaps = site.asked.slice(1).map(({ at }, index) => at - (site.asked[index]?.at ?? 0));
    // A pause varies by a tenth.
    for (const [index, gap] of gaps.entries()) assert.ok(gap >= 450 * 2 ** index, gaps.join());
    const { failure } = (await client.call('scrape.get', { scrape })).scrape;
    assert.deepEqual([failure?.code, failure?.message], ['status', 'answered with status 500']);
    const { steps } = await client.call('step.list', { source: 'failing' });
    assert.deepEqual(
      steps.map(({ state, failure: why }) => `${state}: ${why?.message}`),
      Array(4).fill('failed: answered with status 500'),
    );
  });

  test('over a limit of their size, time or memory fail alone, and their process goes on (S47)', async (t) => {
    const { client, track, completed, failed, work, worker } = await cluster();
    const { process: own } = await work(t, 8);
    const site = await openSite(t, {
      '/large': `<h1>X</h1>${'x'.repeat(2 * 1_024 * 1_024)}`,
      '/slow': `<h1>X</h1>${'<p>x</p>'.repeat(2_000)}`,
      '/hoarding': 'x',
      ...Object.fromEntries([0, 1, 2].map((page) => [`/good${page}`, productPage(`page ${page}`, '1')])),
    });
    await track('large', 'limited', [site.url('/large')]);
    await track('slow', 'limited', [site.url('/slow')]);
    await track('hoarding', 'hoarding', [site.url('/hoarding')]);
    const codes: (string | undefined)[] = [];
    await track(
      'good',
      'failing',
      [0, 1, 2].map((page) => site.url(`/good${page}`)),
    );
    await completed('good', 3);
    for (const word of ['large', 'slow', 'hoarding']) {
      const { scrape } = await failed(word);
      codes.push((await client.call('scrape.get', { scrape })).scrape.failure?.code);
    }
    assert.deepEqual(codes, ['too_large', 'extract_timeout', 'plugin_memory']);
    await client.call('project.rescrape', { id: 'good-0' });
    await completed('good', 4);
    const { online, failed: failures } = await worker(own.pid, ({ processed }) => processed === 7);
    assert.deepEqual([online, failures], [true, 3]);
    const { steps } = await client.call('step.list', { worker: 'daemon' });
    assert.deepEqual(steps, []);
  });
});
