import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TicketFacts } from '../../src/view/ticket.ts';
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
      assert.equal((await second.ended).status, 0);

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
