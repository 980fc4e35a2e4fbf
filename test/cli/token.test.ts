import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now } from './views.ts';

const token = { id: 'V1St', label: 'grafana', role: 'read', createdAt: now - 3_600_000 } as const;

describe('token', () => {
  test('create prints the token alone', async (t) => {
    const asked: unknown[] = [];
    const { path } = await serve(t, {
      'token.create': (params) => {
        asked.push(params);
        return { ...token, token: 'V1St.secret' };
      },
    });
    const words = ['token', 'create', 'grafana', '--role', 'operate', '--expires', '90d', '--socket', path];
    assert.equal((await run(words)).out, 'V1St.secret\n');
    assert.deepEqual(asked, [{ label: 'grafana', role: 'operate', forMs: 90 * 86_400_000 }]);
    assert.equal((await run(['token', 'create', 'x', '--labels', 'a, b', '--socket', path])).status, 0);
    assert.equal(
      (await run(['token', 'create', 'x', '--role', 'author', '--sources', 's', '--socket', path])).status,
      0,
    );
    assert.deepEqual(asked.slice(1), [
      { label: 'x', role: 'read', labels: ['a', 'b'] },
      { label: 'x', role: 'author', sources: ['s'] },
    ]);
    assert.equal((await run(['token', 'create', 'x', '--labels', 'a,', '--socket', path])).status, 2);
    assert.equal((await run(['token', 'create', 'x', '--role', 'root', '--socket', path])).status, 2);
  });

  test('list shows what each may do, and until when', async (t) => {
    const { path } = await serve(t, {
      'token.list': () => ({
        tokens: [
          token,
          { ...token, id: 'b', expiresAt: now - 1, labels: ['acme', 'x'] },
          { ...token, id: 'c', expiresAt: now + 3_000, role: 'author', sources: ['shop'] },
          { ...token, id: 'd', expiresAt: now + 86_400_000 },
        ],
      }),
    });
    const { out } = await run(['token', 'list', '--socket', path], { now });
    assert.match(
      out,
      /^ID\tROLE\tOF\tLABEL\tMADE\tEXPIRES\nV1St\tread\tall\tgrafana\t1h ago\tnever\nb\tread\tacme, x\t.+\texpired\nc\tauthor\tshop\t.+\tin 3s\nd\tread\tall\t.+\t1970-\d\d-\d\d\n$/,
    );
  });

  test('revoke says which one it was', async (t) => {
    const { path } = await serve(t, { 'token.revoke': ({ id }) => ({ ...token, id }) });
    assert.equal((await run(['token', 'revoke', '-a', '--socket', path])).out, 'revoked -a: grafana\n');
  });
});
