import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { VirtualClock } from '../../src/clock.ts';
import { targetMethods } from '../../src/control/methods/target.ts';
import { scrapeMethods } from '../../src/control/methods/scrape.ts';
import { ask } from '../http/server.ts';
import { productPage, productSource, startDaemonIn } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { startServing, type ServingDaemon } from './serving.ts';

/** The answer of `/readyz`. */
const Readiness = z.strictObject({ status: z.string(), reasons: z.array(z.string()) });

/** Asks for the list of targets. */
async function targetsOf({ ask }: Pick<ServingDaemon, 'ask'>, query = '') {
  return targetMethods['target.list'].result.parse((await ask(`/v1/targets${query}`)).json);
}

describe('the scrapes of a daemon, over HTTP', () => {
  test('are the newest hundred, each with when it was, the priority of its target and what it discovered [J76]', async (t) => {
    const paths = Array.from({ length: 103 }, (_, index) => `/p${index}`);
    const site = await openSite(t, Object.fromEntries(paths.map((path) => [path, productPage(path, '1')])));
    const served = await startServing(t);
    const targets = paths.map((path) => ({ source: 'shop', url: site.url(path) }));
    await served.client.call('project.add', { id: 'solar', targets });
    let ended = 0;
    await served.event(({ type }) => type === 'scrape.completed' && (ended += 1) === paths.length);
    const { scrapes, next } = scrapeMethods['scrape.list'].result.parse((await served.ask('/v1/scrapes')).json);
    const numbers = scrapes.map(({ scrape }) => scrape);
    assert.equal(numbers.length, 100);
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => other - one),
    );
    assert.equal(Math.max(...numbers), 103);
    for (const { startedAt, endedAt = 0, priority, counts } of scrapes) {
      assert.ok(Date.now() - startedAt < 60_000 && endedAt >= startedAt);
      assert.deepEqual([priority, counts.added], [1.75, 1]);
    }
    const older = scrapeMethods['scrape.list'].result.parse((await served.ask(`/v1/scrapes?before=${next}`)).json);
    assert.equal(older.scrapes.length, 3);
  });
});

describe('the targets of a daemon, over HTTP', () => {
  test('have their own last scrape, priority, tokens, newest record and counts [J77]', async (t) => {
    const post = (id: string, posted: string) => `<!doctype html><h1>${id}</h1><time>${posted}</time>`;
    const site = await openSite(t, {
      '/a': post('A1', '2024-05-01T08:00:00Z'),
      '/b': { status: 500 },
      '/c': post('C1', ''),
    });
    const source = productSource('shop').replace(
      'price: { css: .price, type: money }',
      'posted: { css: time, type: datetime }',
    );
    const served = await startServing(t, { sources: { shop: source } });
    for (const [id, schedule] of [
      ['a', { tokens: true }],
      ['b', {}],
      ['c', {}],
    ] as const)
      await served.client.call('project.add', {
        id,
        ...schedule,
        targets: [{ source: 'shop', url: site.url(`/${id}`) }],
      });
    for (const type of ['scrape.completed', 'scrape.failed'] as const)
      await served.event((event) => event.type === type);
    site.answer('/a', post('A2', '2024-06-01T08:00:00Z'));
    await served.client.call('project.rescrape', { id: 'a' });
    let ended = 0;
    await served.event(({ type }) => type === 'scrape.completed' && (ended += 1) === 3);

    const { targets } = await targetsOf(served);
    assert.deepEqual(
      targets.map(({ projects, scrapes, discovered, lastScrape, newest, ...rest }) => ({
        projects,
        counts: [scrapes, discovered],
        isOwn: lastScrape?.target === rest.target,
        last: lastScrape?.status,
        newest: newest && [newest.key, newest.datedAt],
        hasTokens: rest.tokens !== undefined,
        priority: rest.priority,
      })),
      [
        {
          projects: ['a'],
          counts: [2, 2],
          isOwn: true,
          last: 'complete',
          newest: ['A2', Date.UTC(2024, 5, 1, 8)],
          hasTokens: true,
          priority: 1.75,
        },
        {
          projects: ['b'],
          counts: [1, 0],
          isOwn: true,
          last: 'failed',
          newest: undefined,
          hasTokens: false,
          priority: 1,
        },
        {
          projects: ['c'],
          counts: [1, 1],
          isOwn: true,
          last: 'complete',
          newest: ['C1', undefined],
          hasTokens: false,
          priority: 1.75,
        },
      ],
    );
    const [first] = targets;
    assert.ok(first);
    assert.deepEqual(new Set(targets.map(({ key }) => key)), new Set([new URL(site.url('/')).origin]));
    assert.deepEqual(
      (await targetsOf(served, '?project=b')).targets.map(({ projects }) => projects),
      [['b']],
    );
    const slice = await targetsOf(served, `?limit=1&after=${first.target}`);
    assert.deepEqual([slice.targets.length, slice.next], [1, slice.targets[0]?.target]);
    assert.equal((await served.ask('/v1/targets?source=shopp')).status, 404);
  });

  test('are all running after a start, each once, and those of archived projects are not among them [B1]', async (t) => {
    const clock = new VirtualClock(1_000_000);
    const first = await startServing(t, { clock });
    const place = (path: string) => ({ source: 'shop', url: `http://127.0.0.1:9/${path}` });
    const tracked = { one: ['a', 'b'], two: ['b', 'c'], gone: ['c', 'd'] };
    for (const [id, paths] of Object.entries(tracked))
      await first.client.call('project.add', { id, targets: paths.map(place) });
    await first.client.call('project.archive', { id: 'gone' });
    await first.close();
    const served = await startServing(t, { folder: first.folder, clock });
    await served.daemon.system.idle();
    const { targets } = await targetsOf(served, '?status=active');
    assert.deepEqual(
      targets.map(({ url, isRunning, projects }) => [new URL(url).pathname, isRunning, projects]),
      [
        ['/a', true, ['one']],
        ['/b', true, ['one', 'two']],
        ['/c', true, ['two']],
      ],
    );
    assert.equal(new Set(targets.map(({ target }) => target)).size, 3);
    assert.equal((await served.client.call('daemon.status', {})).targets.active, 3);
  });

  test('all run before the daemon says that it is ready, and not before [B2]', async (t) => {
    const clock = new VirtualClock(1_000_000);
    const first = await startServing(t, { clock });
    const count = 1_000;
    const projects = Array.from({ length: count }, (_, index) => ({
      id: `p${index}`,
      targets: [{ source: 'shop', url: `http://127.0.0.1:9/${index}` }],
    }));
    await Promise.all(projects.map((project) => first.client.call('project.add', project)));
    await first.close();

    const { promise: port, resolve: httpListens } = Promise.withResolvers<number>();
    const answers = port.then(async (at) => {
      const found = [];
      do found.push(await ask(at, '/readyz', { token: undefined }));
      while (found.at(-1)?.status !== 200);
      return found;
    });
    const { client } = await startDaemonIn(t, first.folder, { clock, http: { port: 0, readOnly: false }, httpListens });
    const early = (await answers).slice(0, -1);
    assert.ok(early.length > 0);
    for (const { status, json } of early) {
      const { reasons } = Readiness.parse(json);
      assert.equal(status, 503);
      assert.match(reasons.join(), /^starting: \d+ actors are still to start$/);
    }
    assert.deepEqual((await answers).at(-1)?.json, { status: 'ready', reasons: [] });
    const sent = { token: first.token };
    const { targets } = targetMethods['target.list'].result.parse(
      (await ask(await port, '/v1/targets?limit=1000', sent)).json,
    );
    assert.equal(targets.filter(({ isRunning }) => isRunning).length, count);
    assert.equal((await client.call('daemon.status', {})).remaining, 0);
  });
});
