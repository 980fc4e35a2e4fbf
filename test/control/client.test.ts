import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { connect } from '../../src/control/client.ts';
import { ControlError } from '../../src/control/error.ts';
import { lineLimitBytes } from '../../src/control/message.ts';
import { serve, temporaryDirectory } from './daemon.ts';

describe('control client', () => {
  test('it says how to start a daemon when none listens', async (t) => {
    const path = join(await temporaryDirectory(t), 'none.sock');
    await assert.rejects(connect(path), {
      name: 'ConnectionError',
      code: 'no_daemon',
      message: `no daemon listens on ${path}: start one with \`heronry start\``,
    });
  });

  test("the daemon's refusal is thrown as it was, issues included", async (t) => {
    const { path } = await serve(t, {
      'project.get': ({ id }) => {
        throw new ControlError('not_found', `no project "${id}"`);
      },
    });
    const client = await connect(path);
    t.after(() => client.close());
    await assert.rejects(client.call('project.get', { id: 'sun' }), { code: 'not_found', message: 'no project "sun"' });
    await assert.rejects(client.call('scrape.get', { scrape: -1 }), (error) => {
      assert.ok(error instanceof ControlError);
      assert.deepEqual(
        error.issues.map((issue) => issue.path),
        ['scrape'],
      );
      return true;
    });
  });

  test('a method that the daemon does not know says that the daemon is of another version', async (t) => {
    const { path } = await serve(t);
    const client = await connect(path);
    t.after(() => client.close());
    await assert.rejects(client.call('beacon.light' as 'daemon.ping', {}), {
      code: 'unknown_method',
      message: `the daemon on ${path} is of another version, restart it: unknown method "beacon.light"`,
    });
  });

  test('a request that is longer than the daemon reads is refused, and the next one is answered', async (t) => {
    const { path } = await serve(t);
    const client = await connect(path);
    t.after(() => client.close());
    await assert.rejects(client.call('project.get', { id: 'ä'.repeat(lineLimitBytes / 2) }), {
      code: 'line_too_long',
      message: `the request is longer than ${lineLimitBytes} bytes`,
    });
    await client.call('daemon.ping', {});
  });

  test('calls under way are rejected when the daemon goes, and calls after that', async (t) => {
    const server = await serve(t, { 'source.list': () => new Promise(() => {}) });
    const client = await connect(server.path);
    const call = client.call('source.list', {});
    await client.call('daemon.ping', {});
    const closing = server.close();
    await assert.rejects(call, { name: 'ConnectionError', code: 'hung_up' });
    await closing;
    await assert.rejects(client.call('daemon.ping', {}), { code: 'hung_up' });
    assert.equal((await client.closed)?.code, 'hung_up');
  });

  const strange = [
    '{}',
    '{"id":1}',
    '{"id":1,"error":null}',
    '{"id":1,"error":{"code":1}}',
    '{"method":"event"}',
    '{"method":7}',
  ];
  for (const each of strange)
    test(`an answer of another shape is told as that: ${each}`, async (t) => {
      const path = join(await temporaryDirectory(t), 'other.sock');
      const answer = `${JSON.stringify({ jsonrpc: '2.0', ...JSON.parse(each) })}\n`;
      const other = createServer((socket) => socket.once('data', () => socket.end(answer)));
      await new Promise<void>((resolve) => other.listen(path, resolve));
      t.after(() => other.close());
      const client = await connect(path);
      await assert.rejects(client.call('daemon.ping', {}), { code: 'bad_answer', message: /is no heronry daemon/ });
    });

  test('something else that listens is told from a daemon', async (t) => {
    const path = join(await temporaryDirectory(t), 'other.sock');
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => other.listen(path, resolve));
    t.after(() => other.close());
    const client = await connect(path);
    await assert.rejects(client.call('daemon.ping', {}), { code: 'bad_answer', message: /is no heronry daemon/ });
  });

  test('it loads neither the schemas nor anything that scrapes', async (t) => {
    const { path } = await serve(t);
    const client = await connect(path);
    t.after(() => client.close());
    const { execFile } = await import('node:child_process');
    const program = `
      import { registerHooks } from 'node:module';
      const asked = [];
      registerHooks({ resolve(specifier, context, next) { asked.push(specifier); return next(specifier, context); } });
      const { connect } = await import(${JSON.stringify(new URL('../../src/control/client.ts', import.meta.url).href)});
      const client = await connect(${JSON.stringify(path)});
      await client.call('daemon.ping', {});
      client.close();
      console.log(asked.filter((name) => !/^(node:|\\.|file:)/.test(name)).join());
    `;
    const printed = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, ['--input-type=module', '--eval', program], (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
    });
    assert.equal(printed, '\n');
  });
});
