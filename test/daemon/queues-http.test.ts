import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { daemonMethods } from '../../src/control/methods/daemon.ts';
import { sinkMethods } from '../../src/control/methods/sink.ts';
import { join } from 'node:path';
import { VirtualClock } from '../../src/clock.ts';
import { createHandlers } from '../../src/control/handlers/all.ts';
import { createDaemon } from '../../src/daemon/parts.ts';
import { createPorts } from '../../src/daemon/ports.ts';
import { measureProcess } from '../../src/daemon/process-load.ts';
import { secretsFrom } from '../../src/session/secret-store.ts';
import { serveHttp } from '../http/server.ts';
import { temporaryFolder, temporaryStore } from '../store/fixture.ts';
import { productPage } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { startServing } from './serving.ts';
import { answerWith, hold, soon } from './tracking.ts';

/** The answer of `/readyz`. */
const Readiness = z.strictObject({ status: z.string(), reasons: z.array(z.string()) });

/** A sink that nobody listens to. */
const deafSink = 'id: deaf\nwebhook: { url: "http://127.0.0.1:9/", allowPrivate: true }\nfrom: all\n';

test('how much runs and waits, of targets, requests, tickets and messages, is told over HTTP by state [S38]', async (t) => {
  const site = await openSite(t, { '/b': productPage('b', '1'), '/c': productPage('c', '1') });
  const held = hold(site, '/a');
  const served = await startServing(t, { settings: soon, sinks: { deaf: deafSink } });
  const status = async () => daemonMethods['daemon.status'].result.parse((await served.ask('/v1/daemon/status')).json);
  const sink = async () => sinkMethods['sink.list'].result.parse((await served.ask('/v1/sinks')).json).sinks[0];
  for (const id of ['a', 'b', 'c'])
    await served.client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
  // A host answers one request at a time: while it is at the first one, the others wait for their turns.
  const response = await held;
  await served.client.call('project.archive', { id: 'c' });
  let busy = await status();
  while (busy.offers.length === 0) busy = await status();
  assert.deepEqual([busy.scrapes.running, busy.projects.active, busy.projects.archived], [1, 2, 1]);
  assert.deepEqual(
    busy.offers.map(({ waitFor, offers }) => [waitFor, offers]),
    [['concurrency', 1]],
  );
  assert.deepEqual(busy.tickets, { open: 0, acknowledged: 0, snoozed: 0 });

  answerWith(productPage('a', '1'), response);
  let ended = 0;
  await served.event(({ type }) => type === 'scrape.completed' && (ended += 1) === 2);
  const idle = await status();
  assert.deepEqual([idle.scrapes.running, idle.scrapes.complete, idle.offers], [0, 2, []]);
  // A message that nobody has taken is behind, or waits to be tried again.
  const { behind = 0, parked = 0, dead } = (await sink()) ?? {};
  assert.ok(behind + parked > 0, `${behind} behind, ${parked} waiting`);
  assert.equal(dead, 0);
});

test('a daemon whose store is not open says that it lives and is not ready, before it opens and after it closes [S40]', async (t) => {
  const folder = temporaryFolder(t);
  const parts = createDaemon({
    clock: new VirtualClock(1_000_000),
    random: () => 0.5,
    version: '0.0.0',
    settings: soon,
    pulseEveryMs: 300_000,
    bot: { name: 'Heronry', userAgent: 'Heronry/0.0.0', onlyLoopback: true },
    findSecrets: secretsFrom({ environment: {} }),
    threads: 1,
    report: () => undefined,
    warn: () => undefined,
    data: folder,
    sources: folder,
    plugins: folder,
    socket: join(folder, 'control.sock'),
  });
  const load = measureProcess();
  t.after(() => load.close());
  // Its tree is not started: this test opens and closes the store as the actor does that owns it.
  const { state } = parts;
  const { ask } = await serveHttp(t, createHandlers(createPorts(parts, load, () => undefined)));
  const answers = async () => {
    const [lives, ready] = await Promise.all([ask('/healthcheck'), ask('/readyz')]);
    return [lives.status, lives.json, ready.status, Readiness.parse(ready.json)];
  };
  const lives = { status: 'ok' };
  const notReady = [200, lives, 503, { status: 'not ready', reasons: ['the store is not open'] }];
  assert.deepEqual(await answers(), notReady);
  const { store } = await temporaryStore(t);
  state.setStore(store);
  state.setProgress({ ready: true, remaining: 0 });
  assert.deepEqual(await answers(), [200, lives, 200, { status: 'ready', reasons: [] }]);
  state.setStore(undefined);
  await store.close();
  assert.deepEqual(await answers(), notReady);
});
