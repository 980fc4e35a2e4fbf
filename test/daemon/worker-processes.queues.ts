import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TicketFacts } from '../../src/view/ticket.ts';
import { browserPids, noBrowser } from '../support/browser.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { suiteEnd } from '../support/servers/own-server.ts';
import { noPostgresql, postgresqlUrl } from '../support/servers/postgresql.ts';
import { noRedis, openRedis } from '../support/servers/redis.ts';
import { openSite } from '../support/site.ts';
import { daemonFolder, startBeside, startOwnDaemon } from './own-daemon.ts';

const plugin = `import { defineProvider } from 'heronry/provider';

export default defineProvider({
  request: ({ url }) => ({ url }),
  read(page, { $ }) {
    console.error('read with s3cret-token');
    return { drafts: [{ type: 'card', fields: { title: $('h1').text(), pid: process.pid } }] };
  },
});
`;

/** A source whose pages are the answers to a form, which scripts show. */
const finder = (origin: string): string => `id: finder
url: "${origin}/#{query}"
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
render:
  in: browser
  do:
    - { type: "{query}\\n", into: "#q" }
    - { wait: h1 }
records: { hit: { key: name, fields: { name: { css: h1, required: true } } } }
`;

const servers = [
  { what: 'Redis', skip: noRedis, start: async (end: ReturnType<typeof suiteEnd>) => (await openRedis(end)).url },
  { what: 'PostgreSQL', skip: noPostgresql, start: postgresqlUrl },
];

/** So that what is known of a worker process that was killed is told, and forgotten, within the time of a test. */
const silence = '{ forgetAfter: 40s, alarms: { offline: 1s } }';

for (const { what, skip, start } of servers)
  describe(`a daemon whose steps worker processes take from ${what}`, { skip }, () => {
    const end = suiteEnd();

    test('asks nobody itself, and has what a worker of another folder read, also when that one is killed and another comes, until that is told to end; its steps name it, and can be revoked [S26, S32, S51]', async (t) => {
      const url = await start(end);
      const site = await openSite(t, { '/a': productPage('Lamp', '12') });
      const folder = await daemonFolder(t, { shop: productSource('shop') });
      const config = join(folder, 'heronry.yaml');
      await writeFile(config, `data: data\nengine: { bullmq: { url: "${url}", workers: ${silence} } }\n`);
      const { client } = await startOwnDaemon(folder, ['--config', config]);
      await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
      assert.equal((await stat(join(folder, 'data', 'cluster.key'))).mode & 0o777, 0o600);

      const elsewhere = await daemonFolder(t, {});
      await copyFile(join(folder, 'data', 'cluster.key'), join(elsewhere, 'cluster.key'));
      const own = join(elsewhere, 'heronry.yaml');
      await writeFile(own, `engine: { bullmq: { url: "${url}", key: cluster.key } }\n`);
      let completed = Promise.withResolvers<unknown>();
      await client.subscribe({ types: ['scrape.completed'] }, (told) => completed.resolve(told));
      const opened = Promise.withResolvers<TicketFacts>();
      const resolved = Promise.withResolvers<TicketFacts>();
      await client.subscribe({ types: ['ticket.*'] }, ({ type, data }) => {
        if (!('symptoms' in data)) return;
        if (type === 'ticket.opened') opened.resolve(data);
        if (type === 'ticket.resolved') resolved.resolve(data);
      });
      assert.equal(site.asked.length, 0);
      const first = await startBeside(elsewhere, ['worker', '--config', own]);
      await completed.promise;
      completed = Promise.withResolvers();
      const { records } = await client.call('project.records', { id: 'a' });
      assert.deepEqual(
        records.map(({ fields }) => fields['sku']?.value),
        ['Lamp'],
      );

      const [step] = (await client.call('step.list', { type: 'page', state: 'done' })).steps;
      const [only] = (await client.call('worker.list', {})).workers;
      assert.ok(only !== undefined);
      assert.equal(step?.worker, only.id);
      assert.equal((await client.call('step.list', { worker: only.id, text: '/a' })).steps[0]?.id, step?.id);

      // Revoked while the worker process runs it.
      const asking = Promise.withResolvers<ServerResponse>();
      site.answer('/a', (_request, response) => asking.resolve(response));
      const [wanted] = (await client.call('project.rescrape', { id: 'a' })).scrapes;
      const response = await asking.promise;
      const cut = once(response, 'close');
      const [under] = (await client.call('step.list', { state: 'running' })).steps;
      assert.equal(under?.scrape, wanted?.scrape);
      const revokedAt = performance.now();
      assert.deepEqual(await client.call('step.revoke', { id: under?.id ?? '' }), { revoked: true });
      await cut;
      assert.ok(performance.now() - revokedAt < 5_000);
      site.answer('/a', productPage('Lamp', '12'));
      await client.call('project.rescrape', { id: 'a' });
      await completed.promise;
      completed = Promise.withResolvers();
      const revoked = await client.call('step.get', { id: under?.id ?? '' });
      assert.deepEqual([revoked.state, revoked.progress?.status], ['revoked', 'cancelled']);

      process.kill(first.pid, 'SIGKILL');
      await first.ended;
      const asked = site.asked.length;
      const second = await startBeside(elsewhere, ['worker', '--config', own]);
      await client.call('project.rescrape', { id: 'a' });
      await completed.promise;
      assert.ok(site.asked.length > asked);

      const { engine, workers } = await client.call('worker.list', {});
      assert.equal(engine, 'bullmq');
      const running = workers.find(({ pid }) => pid === second.pid);
      assert.equal(running?.online, true);
      await client.call('worker.stop', { id: running.id });
      const { status, tail } = await second.ended;
      assert.equal(status, 0);
      assert.match(tail.join('\n'), /an order of the daemon ends the worker process/);

      // The one that was killed has not said that it left; the other one has.
      const silent = await opened.promise;
      assert.deepEqual(
        [silent.sources, silent.symptoms.map(({ worker }) => worker)],
        [[], [`${hostname()} ${first.pid}`]],
      );
      assert.equal((await resolved.promise).ticket, silent.ticket);
      assert.deepEqual((await client.call('worker.list', {})).workers, []);
    });

    test('has pages read by the plug-in of their source in a worker process that has no file of it, and logs what that told without secrets', async (t) => {
      const url = await start(end);
      const site = await openSite(t, { '/a': '<h1>Lamp</h1>' });
      const yaml = `id: shop
plugin: cards.ts
allowPrivate: true
robots: ignore
secrets: [TOKEN]
records: { card: { key: title, fields: { title: { required: true }, pid: { type: integer } } } }
`;
      const folder = await daemonFolder(t, { shop: yaml });
      await mkdir(join(folder, 'plugins'));
      await writeFile(join(folder, 'plugins', 'cards.ts'), plugin);
      await writeFile(join(folder, 'secrets.json'), '{ "TOKEN": "s3cret-token" }', { mode: 0o600 });
      const config = join(folder, 'heronry.yaml');
      const engine = { bullmq: { url, cluster: 'plugged' } };
      await writeFile(config, JSON.stringify({ data: 'data', secrets: 'secrets.json', engine }));
      const { client, process: daemon } = await startOwnDaemon(folder, ['--config', config]);
      const completed = Promise.withResolvers<unknown>();
      await client.subscribe({ types: ['scrape.completed'] }, (told) => completed.resolve(told));
      await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });

      const elsewhere = await daemonFolder(t, {});
      await copyFile(join(folder, 'data', 'cluster.key'), join(elsewhere, 'cluster.key'));
      const own = join(elsewhere, 'heronry.yaml');
      await writeFile(own, JSON.stringify({ engine: { bullmq: { ...engine.bullmq, key: 'cluster.key' } } }));
      const worker = await startBeside(elsewhere, ['worker', '--config', own]);
      await completed.promise;
      const { records } = await client.call('project.records', { id: 'a' });
      assert.deepEqual(
        records.map(({ fields }) => [fields['title']?.value, fields['pid']?.value]),
        [['Lamp', worker.pid]],
      );
      client.close();
      const [line] = (await daemon.stop()).tail.filter((text) => text.includes('read with'));
      assert.match(line ?? '', /"plugin":"cards.ts"/);
      assert.doesNotMatch(line ?? '', /s3cret-token/);
    });

    test(
      'has pages rendered, and forms in them filled in, by the browser of a worker process',
      { skip: noBrowser },
      async (t) => {
        const url = await start(end);
        const site = await openSite(t, {
          '/': '<form action="/found"><input id="q" name="q"></form>',
          '/found': (request, response) => {
            const query = new URL(request.url ?? '', 'http://x').searchParams.get('q');
            response.setHeader('content-type', 'text/html');
            response.end(`<script>setTimeout(() => {
            document.body.append(Object.assign(document.createElement('h1'), { textContent: '${query}' }));
          }, 100)</script>`);
          },
        });
        const folder = await daemonFolder(t, { finder: finder(site.origin) });
        const config = join(folder, 'heronry.yaml');
        const engine = { bullmq: { url, cluster: 'rendering', key: join(folder, 'cluster.key') } };
        await writeFile(config, JSON.stringify({ data: 'data', engine }));
        const { client, process: daemon } = await startOwnDaemon(folder, ['--config', config]);
        const ended = Promise.withResolvers<unknown>();
        await client.subscribe({ types: ['scrape.completed', 'scrape.failed'] }, ({ type }) => ended.resolve(type));
        await client.call('project.add', {
          id: 'owls',
          targets: [{ source: 'finder', params: { query: 'old owls' } }],
        });
        const worker = await startBeside(folder, ['worker', '--config', config]);
        assert.equal(await ended.promise, 'scrape.completed');
        const { records } = await client.call('project.records', { id: 'owls' });
        assert.deepEqual(
          records.map(({ key }) => key),
          ['old owls'],
        );
        const [only] = (await client.call('worker.list', {})).workers;
        const { steps } = await client.call('step.list', {});
        assert.deepEqual(
          steps.map((step) => [step.state, step.worker]),
          [1, 2].map(() => ['done', only?.id]),
        );
        assert.deepEqual([browserPids(daemon.pid).length, browserPids(worker.pid).length], [0, 1]);
      },
    );

    test('that is killed while a page is asked for has it from the worker process when it is back, and does not ask again (S15)', async (t) => {
      const url = await start(end);
      const site = await openSite(t);
      const folder = await daemonFolder(t, { shop: productSource('shop') });
      const config = join(folder, 'heronry.yaml');
      const engine = { bullmq: { url, cluster: 'killed', key: join(folder, 'cluster.key') } };
      await writeFile(config, JSON.stringify({ data: 'data', engine }));
      const first = await startOwnDaemon(folder, ['--config', config]);
      await first.client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
      await startBeside(folder, ['worker', '--config', config]);
      const asked = Promise.withResolvers<ServerResponse>();
      site.answer('/a', (_, response) => asked.resolve(response));
      const response = await asked.promise;
      await first.kill();
      const { client } = await startOwnDaemon(folder, ['--config', config]);
      const completed = Promise.withResolvers<unknown>();
      await client.subscribe({ types: ['scrape.completed'] }, (told) => completed.resolve(told));
      response.setHeader('content-type', 'text/html').end(productPage('Lamp', '12'));
      await completed.promise;
      const { records } = await client.call('project.records', { id: 'a' });
      assert.deepEqual(
        records.map(({ fields }) => fields['sku']?.value),
        ['Lamp'],
      );
      assert.equal(site.asked.filter(({ path }) => path === '/a').length, 1);
    });
  });
