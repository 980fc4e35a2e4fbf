import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createToken, findToken } from '../../src/store/tokens.ts';
import { temporaryStore } from './fixture.ts';

describe('a token', () => {
  test('is found by its text, of which only a digest is kept', async (t) => {
    const { store } = await temporaryStore(t);
    const { row, text } = await createToken(store, { label: 'grafana', role: 'read' });
    assert.deepEqual(findToken(store, text), row);
    assert.ok(text.startsWith(`${row.id}.`));
    const secret = text.slice(row.id.length + 1);
    assert.ok(Buffer.from(secret, 'base64url').length === 32);
    assert.doesNotMatch(JSON.stringify([...store.tokens.rows()]), new RegExp(secret));
  });

  test('is not found by another secret, another id, a part of its text or anything else', async (t) => {
    const { store } = await temporaryStore(t);
    const { row, text } = await createToken(store, { label: 'a', role: 'read' });
    const other = await createToken(store, { label: 'b', role: 'admin' });
    const secret = text.slice(row.id.length + 1);
    for (const wrong of [
      ...[
        `${other.row.id}.${secret}`,
        `${row.id}.`,
        row.id,
        secret,
        `.${secret}`,
        '',
        '.',
        `${text}a`,
        text.slice(0, -1),
      ],
      ...[`none.${secret}`, `${row.id}.${row.digest}`, `${'x'.repeat(5_000)}.${secret}`],
    ])
      assert.equal(findToken(store, wrong), undefined, wrong);
  });

  test('is not found from the instant on at which it expires', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const { text } = await createToken(store, { label: 'a', role: 'read', expiresAt: clock.now + 1_000 });
    clock.now += 999;
    assert.ok(findToken(store, text));
    clock.now += 1;
    assert.equal(findToken(store, text), undefined);
  });
});
