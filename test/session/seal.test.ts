import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { keyBytes, KeyFileError, readKey, readKeyIfThere, sealerWith } from '../../src/session/seal.ts';
import { temporaryFolder } from './support.ts';

describe('a seal', () => {
  const sealer = sealerWith(new Uint8Array(32).fill(1));
  const sealed = sealer.seal('canary', 'shop');

  test('opens with the same key for the same context', () => {
    assert.deepEqual(sealer.open(sealed, 'shop'), { ok: true, text: 'canary' });
  });

  test('shows nothing of the text and is another one each time', () => {
    assert.doesNotMatch(sealed, /canary/);
    assert.doesNotMatch(Buffer.from(sealed.slice(3), 'base64url').toString('latin1'), /canary/);
    assert.notEqual(sealer.seal('canary', 'shop'), sealed);
  });

  test('opens with no other key and for no other context', () => {
    const broken = { ok: false, why: 'broken' };
    assert.deepEqual(sealerWith(new Uint8Array(32).fill(2)).open(sealed, 'shop'), broken);
    assert.deepEqual(sealer.open(sealed, 'shop2'), broken);
  });

  test('does not open once any byte of it has changed', () => {
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.equal(sealer.open(`v1.${changed.toString('base64url')}`, 'shop').ok, false);
    }
    for (const text of ['', 'v1.', 'v1.AAAA', sealed.slice(0, -4)]) assert.equal(sealer.open(text, 'shop').ok, false);
  });

  test('of another version is told from a broken one', () => {
    assert.deepEqual(sealer.open(`v2${sealed.slice(2)}`, 'shop'), { ok: false, why: 'version' });
  });

  test('has fingerprints that are equal for equal texts under one key only', () => {
    assert.equal(sealer.fingerprint('a'), sealer.fingerprint('a'));
    assert.notEqual(sealer.fingerprint('a'), sealer.fingerprint('b'));
    assert.notEqual(sealer.fingerprint('a'), sealerWith(new Uint8Array(32).fill(2)).fingerprint('a'));
  });
});

describe('the key file', () => {
  test('is made when missing, for its owner only, and read again', async (context) => {
    const folder = temporaryFolder(context);
    const [key, other] = await Promise.all([readKey(folder), readKey(folder)]);
    assert.equal(key.length, keyBytes);
    assert.deepEqual(Buffer.from(other), Buffer.from(key));
    assert.deepEqual(Buffer.from(await readKey(folder)), Buffer.from(key));
    assert.deepEqual(readdirSync(folder), ['session.key']);
    assert.equal(statSync(join(folder, 'session.key')).mode & 0o777, 0o600);
  });

  test('that others can read is refused by its mode', async (context) => {
    const folder = temporaryFolder(context);
    await readKey(folder);
    chmodSync(join(folder, 'session.key'), 0o644);
    await assert.rejects(
      readKey(folder),
      (error) => error instanceof KeyFileError && error.message.endsWith('got 0644'),
    );
  });

  test('that is a fifo is refused at once', { timeout: 5_000 }, async (context) => {
    const folder = temporaryFolder(context);
    execFileSync('bash', ['-c', 'mkfifo -m 600 "$0"', join(folder, 'session.key')]);
    await assert.rejects(
      readKey(folder),
      (error) => error instanceof KeyFileError && error.message.endsWith('expected a regular file, got a fifo'),
    );
  });

  test('that is cut short is refused, not used', async (context) => {
    const folder = temporaryFolder(context);
    writeFileSync(join(folder, 'session.key'), 'short', { mode: 0o600 });
    await assert.rejects(readKey(folder), /expected 32 bytes, got 5; remove it to have a new one made$/);
    await assert.rejects(readKeyIfThere(join(folder, 'session.key'), 'copy it again'), /got 5; copy it again$/);
  });
});
