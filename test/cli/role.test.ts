import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { daemonFolder, startBeside, startOwnDaemon } from '../daemon/own-daemon.ts';
import { ask, openStream } from '../http/server.ts';
import { temporaryFolder } from '../store/fixture.ts';
import { productSource } from '../support/daemon.ts';
import { freePort } from '../support/servers/own-server.ts';
import { startProcess } from '../../src/process/own-process.ts';
import { run } from './terminal.ts';

const program = join(import.meta.dirname, '..', '..', 'src', 'heronry.cjs');

describe('heronry start --role api', () => {
  test('is a proxy to the daemon on another machine, and keeps nothing (S51)', async (t) => {
    const [own, edge] = [await freePort(), await freePort()];
    const folder = await daemonFolder(t, { shop: productSource('shop') });
    const config = join(folder, 'heronry.yaml');
    const publicUrl = `http://127.0.0.1:${edge}`;
    await writeFile(
      config,
      `http: { port: ${own}, behindProxy: { trusted: [127.0.0.1], publicUrl: "${publicUrl}" } }\n`,
    );
    const there = temporaryFolder(t);
    const file = join(there, 'edge.yaml');
    await writeFile(file, `http: { port: ${edge}, daemon: "http://127.0.0.1:${own}" }\n`);
    const up = Promise.withResolvers<void>();
    const api = await startProcess(program, ['start', '--role', 'api', '--config', file], {
      wrote: (line) => line.includes(`the HTTP API is at ${publicUrl}/`) && up.resolve(),
    });
    t.after(() => api.stop());
    await Promise.race([up.promise, api.ended.then(({ tail }) => assert.fail(tail.join('\n')))]);
    assert.equal((await ask(edge, '/healthz')).status, 200);
    assert.equal((await ask(edge, '/readyz')).status, 503);

    const daemon = await startOwnDaemon(folder, ['--config', config]);
    t.after(() => daemon.client.close());
    while ((await ask(edge, '/readyz')).status !== 200) {
      const ended = await Promise.race([daemon.process.ended, delay(5)]);
      if (ended !== undefined) assert.fail(ended.tail.join('\n'));
    }
    const token = (await readFile(join(folder, 'data', 'http-token'), 'utf8')).trim();
    const project = { id: 'solar', targets: [{ source: 'shop', url: 'http://127.0.0.1:9/solar' }] };
    const stream = await openStream(t, edge, '/v1/events?types=project.*', { authorization: `Bearer ${token}` });
    await stream.next();
    assert.equal((await ask(edge, '/v1/projects', { token, verb: 'POST', body: project })).status, 200);
    assert.match((await stream.next()) ?? '', /"type":"project\.added".*"solar"/);
    assert.equal((await daemon.client.call('project.get', { id: 'solar' })).id, 'solar');
    const browser = { token: undefined, headers: { accept: 'text/html' } };
    assert.match((await ask(edge, '/login', browser)).text, /<form/);
    assert.match((await daemon.client.call('login.invite', {})).url, new RegExp(`^${publicUrl}/login#code=`));

    assert.equal((await api.stop()).status, 0);
    assert.equal(await stream.next(), undefined);
    assert.deepEqual(await readdir(there), ['edge.yaml']);
  });

  test('says where the daemon is expected, and that no other role takes it', async (t) => {
    const folder = await daemonFolder(t, {});
    const [own, edge] = [join(folder, 'own.yaml'), join(folder, 'edge.yaml')];
    await writeFile(own, 'http: {}');
    await writeFile(edge, 'http: { daemon: "https://a.example" }');
    const refusalOf = async (...words: readonly string[]) => {
      const { status, tail } = await (await startBeside(folder, ['start', ...words])).ended;
      assert.equal(status, 1);
      return tail.join('\n');
    };
    const [api, daemon] = await Promise.all([refusalOf('--role', 'api', '--config', own), refusalOf('--config', edge)]);
    assert.match(api, /own\.yaml: expected `http: \{ daemon: … \}`/);
    assert.match(daemon, /edge\.yaml: http\.daemon: expected it with `heronry start --role api` alone/);
  });

  test('refuses options that are for the daemon', async () => {
    for (const words of [['--data', 'x'], ['--sources', 'x'], ['--api-only'], ['--detach'], ['--log', 'x']]) {
      const { status, err } = await run(['start', '--role', 'api', ...words]);
      assert.equal(status, 2);
      assert.match(err, new RegExp(`start: --role api: expected no ${words[0]} beside it`));
    }
    assert.match((await run(['start', '--role', 'worker'])).err, /Allowed choices are all, api/);
  });
});
