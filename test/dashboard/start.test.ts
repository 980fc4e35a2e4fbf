import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import { VirtualClock } from '../../src/clock.ts';
import { status } from '../control/status.ts';
import { startServing } from '../daemon/serving.ts';
import { untilReady } from '../daemon/tracking.ts';
import { serveHttp } from '../http/server.ts';
import { sampleHandlers } from './samples.ts';

describe('the pages of a daemon that has started', () => {
  test('show each active project with its actor, once, and those that are archived with none [B1]', async (t) => {
    const clock = new VirtualClock(1_000_000);
    const first = await startServing(t, { clock });
    const targets = (id: string) => [{ source: 'shop', url: `http://127.0.0.1:9/${id}` }];
    for (const id of ['one', 'two', 'gone']) await first.client.call('project.add', { id, targets: targets(id) });
    await first.client.call('project.archive', { id: 'gone' });
    await first.close();
    const served = await startServing(t, { folder: first.folder, clock });
    await untilReady(served.client);
    const $ = load((await served.ask('/tree')).text);
    const lives = $('table.tree tbody tr')
      .map((_, row) => $(row).find('bdi').first().text())
      .get();
    assert.deepEqual(
      lives.filter((life) => ['one', 'two', 'gone'].includes(life)),
      ['one', 'two'],
    );
    assert.match((await served.ask('/')).text, /2 active targets/);
  });

  test('say how many actors are still to start, until all run [B2]', async (t) => {
    let now = { ...status, state: 'starting' as 'starting' | 'ready', remaining: 3 };
    const samples = sampleHandlers({ text: 'x', items: 0, number: 1 });
    const { ask } = await serveHttp(t, { ...samples, 'daemon.status': () => now });
    const stateLine = async () => load((await ask('/')).text)('main > p.state').text();
    assert.match(await stateLine(), /starting.*3 actors still to start/s);
    now = { ...now, state: 'ready', remaining: 0 };
    assert.match(await stateLine(), /ready/);
    assert.doesNotMatch(await stateLine(), /to start/);
  });

  test('say why nothing is asked through the queues', async (t) => {
    const idle = { versions: [], draining: 0, away: 0 };
    const queues = { state: 'unreached', since: 1_000, why: 'no server', taking: 0, idle } as const;
    const samples = sampleHandlers({ text: 'x', items: 0, number: 1 });
    const { ask } = await serveHttp(t, { ...samples, 'daemon.status': () => ({ ...status, queues }) });
    const state = load((await ask('/')).text)('main > p.state');
    assert.match(state.text(), /queues:\s+cannot be reached since .*: no server/);
  });
});
