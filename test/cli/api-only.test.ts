import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { daemonFolder } from '../daemon/own-daemon.ts';
import { startProcess } from '../../src/process/own-process.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';

const program = join(import.meta.dirname, '..', '..', 'src', 'heronry.cjs');

test('heronry start --api-only serves every command that looks, and asks no site (J83)', async (t) => {
  const site = await openSite(t, { '/a': productPage('A', '1') });
  const folder = await daemonFolder(t, {
    shop: productSource('shop', `url: "${site.origin}/{page}"\ninitialDelay: 1ms`),
  });
  const socket = join(folder, 'socket');
  const paths = ['--data', join(folder, 'data'), '--sources', join(folder, 'sources'), '--socket', socket];
  const daemon = await startProcess(program, ['start', '--api-only', ...paths, '--log-level', 'warn']);
  t.after(() => daemon.stop());
  const heronry = (...words: readonly string[]) => run([...words, '--socket', socket], { now: Date.now() });
  while ((await heronry('status')).status !== 0) {
    const ended = await Promise.race([daemon.ended, delay(5)]);
    if (ended !== undefined) assert.fail(ended.tail.join('\n'));
  }
  const added = await heronry('add', 'a', '--url', site.url('/a'), '--every', '1s');
  assert.equal(added.status, 0);
  assert.match(added.err, /^warning: nothing is scraped at present: the daemon was started with --api-only$/m);
  assert.match((await heronry('status')).out, /mode {6}serves its control methods alone, and scrapes nothing/);
  assert.match(
    (await heronry('why', 'a')).out,
    /^a\nnothing is scraped at present: the daemon was started with --api-only\n/,
  );
  assert.match(
    (await heronry('why', 'a')).out,
    /would be due now, since .*: its first scrape, after the initial delay/,
  );
  assert.match((await heronry('schedule')).out, /\tshop\ta\t1\tfirst\t/);
  // Its first scrape is overdue, and then comes each second of a day.
  assert.match((await heronry('plan')).out, /^1 day from .*: 1 target on 1 host\nrequests {4}86401, 86401 a day/);
  const rescrape = await heronry('rescrape', 'a');
  assert.deepEqual(
    [rescrape.status, rescrape.err],
    [1, 'heronry: the daemon was started with --api-only, and scrapes nothing\n'],
  );
  const tried = await heronry('try', 'shop', site.url('/a'));
  assert.deepEqual(
    [tried.status, tried.err],
    [1, 'heronry: the daemon was started with --api-only, and asks no site\n'],
  );
  assert.match((await heronry('status')).out, /0 running, 0 waiting; since the start 0 complete/);
  assert.deepEqual(site.asked, []);
});
