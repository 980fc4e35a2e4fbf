import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Client, ConnectionError } from '../../src/control/client.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from '../cli/terminal.ts';
import { daemonFolder, startOwnDaemon } from './own-daemon.ts';
import { untilBackedUp } from './tracking.ts';

const ids = ['lamp', 'kettle', 'chair'];
const politeness = 'politeness: { autoThrottle: false, delay: 2s, minDelay: 2s }';

/** What is known of the projects: their records, and their history with the oldest change first. */
async function knownTo(client: Client) {
  const known = [];
  for (const id of ids) {
    const { records } = await client.call('project.records', { id });
    const { changes } = await client.call('project.history', { id, limit: 1_000 });
    known.push({ id, records, changes: changes.toReversed() });
  }
  return known;
}

test('a daemon that was killed amid its work, and whose disk is gone, goes on from its backup with all that was in it', async (t) => {
  const [site, slow] = [await openSite(t), await openSite(t, { '/slow': productPage('slow', '1.00') })];
  let visits = 0;
  for (const id of ids)
    site.answer(`/${id}`, (_, response) => {
      visits += 1;
      response.setHeader('content-type', 'text/html').end(productPage(id, `${visits}.00`));
    });
  const paced = productSource('paced').replace(/^politeness: .*$/m, politeness);
  const folder = await daemonFolder(t, { shop: productSource('shop'), paced });
  const data = join(folder, 'data');
  const to = join(folder, 'backup');
  const config = join(folder, 'heronry.yaml');
  await writeFile(config, JSON.stringify({ data, scrape: { initialDelay: '1ms' }, backup: { to, every: '1s' } }));

  const first = await startOwnDaemon(folder, ['--config', config]);
  let last = 0;
  let completed = Promise.withResolvers<void>();
  await first.client.subscribe({ types: ['scrape.completed'] }, () => completed.resolve());
  const rescrape = async (id: string): Promise<void> => {
    const { scrapes } = await first.client.call('project.rescrape', { id });
    last = Math.max(last, ...scrapes.map(({ scrape }) => scrape));
  };
  const track = (id: string, source: string, url: string) =>
    first.client.call('project.add', { id, targets: [{ source, url }] });
  await track('slow', 'paced', slow.url('/slow'));
  await completed.promise;
  for (const id of ids) {
    completed = Promise.withResolvers();
    await track(id, 'shop', site.url(`/${id}`));
    await completed.promise;
    completed = Promise.withResolvers();
    await rescrape(id);
    await completed.promise;
  }
  const [known, scrapes] = [await knownTo(first.client), last];
  await untilBackedUp(first.client);
  completed = Promise.withResolvers();
  // Each ends with the connection.
  const lanes = Promise.allSettled(
    ids.map(async (id) => {
      for (;;) await rescrape(id);
    }),
  );
  await completed.promise;
  await first.kill();
  for (const lane of await lanes) assert.ok(lane.status === 'rejected' && lane.reason instanceof ConnectionError);
  await rm(data, { recursive: true });

  const restored = await run(['restore-backup', to, data], { cwd: folder });
  assert.equal(restored.status, 0, restored.err);
  const { client } = await startOwnDaemon(folder, ['--config', config]);
  const asked = slow.nextAsked('/slow');
  const again = await client.call('project.rescrape', { id: 'slow' });
  const [scrape = 0] = again.scrapes.map((each) => each.scrape);
  assert.ok(scrape > Math.max(last, scrapes + 1_000_000), `${scrape} after ${last}`);
  const { startedAt } = await client.call('daemon.status', {});
  const now = await knownTo(client);
  for (const [index, { id, records, changes }] of known.entries()) {
    assert.deepEqual(now[index]?.changes.slice(0, changes.length), changes);
    assert.equal(now[index]?.records.length, records.length);
    for (const { page } of changes) {
      const shown = await run(['page', page ?? 'none', '--socket', join(folder, 'socket')]);
      assert.match(shown.out, new RegExp(`<h1>${id}</h1>`), shown.err);
    }
  }
  const { at } = await asked;
  assert.ok(at - startedAt >= 2_000, `asked ${at - startedAt} ms after the start`);
  // The folder has the backup of the store that is gone, which stays until a person names another one.
  const check = await run(['status', '--check', '--socket', join(folder, 'socket')]);
  assert.match(check.out, /the backup stands still: the folder has the backup of another store/);
  assert.equal(check.status, 1);
});
