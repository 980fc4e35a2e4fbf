import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { methods, type MethodInput, type Method } from '../../src/control/methods.ts';
import { settingsOf, startTimed } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

/** As `productSource`, walked by its links. */
function crawledSource(id: string): string {
  return `${productSource(id)}crawl: { detail: ["/p/"] }\n`;
}

test('a daemon answers each method in the shape that its table says, with nothing besides', async (t) => {
  const site = await openSite(t, {
    '/ok': productPage('A', '1'),
    '/down': { status: 503, headers: { 'retry-after': '7200' } },
    '/p/start': productPage('B', '2'),
  });
  const { client, track, pass } = await startTimed(t, {
    sources: { shop: productSource('shop'), whole: crawledSource('whole') },
    settings: settingsOf({ everyMs: 600_000 }),
  });
  await track('b', { source: 'whole', url: site.url('/p/start') });
  await pass(5_000);
  await track('a', { source: 'shop', url: site.url('/ok') }, { source: 'shop', url: site.url('/down') });
  await pass(5_000);

  async function check<M extends Method>(method: M, params: MethodInput<M>) {
    const result = await client.call(method, params);
    const schema: z.ZodType = methods[method].result;
    const read = schema.safeParse(result);
    assert.ok(read.success, `${method}: ${read.error && z.prettifyError(read.error)}`);
    return result;
  }

  await check('project.list', {});
  await check('project.get', { id: 'a' });
  await check('project.why', { id: 'a' });
  assert.ok((await check('project.records', { id: 'a' })).records.length > 0);
  assert.ok((await check('project.history', { id: 'a' })).changes.length > 0);
  const { scrapes } = await check('scrape.list', {});
  assert.ok(scrapes.length >= 3);
  for (const { scrape } of scrapes) await check('scrape.get', { scrape });
  assert.ok((await check('crawl.list', { project: 'b' })).crawls.length > 0);
  await check('source.list', {});
  await check('source.get', { id: 'shop' });
  await check('host.list', {});
  await check('schedule.list', {});
  await check('schedule.plan', { days: 1 });
  await check('objective.report', {});
  await check('waste.report', {});
  await check('tree.get', {});
  await check('settings.get', {});
  await check('daemon.status', {});
  await check('source.resolve', { url: site.url('/ok') });
  await check('project.rescrape', { id: 'a' });
  await check('project.archive', { id: 'a' });
  await check('project.restore', { id: 'a' });
  await check('project.apply', { projects: [], dryRun: true });
  await check('source.reload', {});
});
