import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Resolve } from '../../src/fetch/address.ts';
import { openS3, type S3Options } from '../../src/export/s3.ts';
import { run } from '../cli/terminal.ts';
import { item } from '../store/fixture.ts';
import { exportingDaemon } from './exporting.ts';
import { openStoreServer, storeCredentials, type StoreServer } from './store-server.ts';

const address = 's3://backups/of heronry/ä';
const env = {
  AWS_ACCESS_KEY_ID: storeCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: storeCredentials.secretAccessKey,
};

async function bucket(t: TestContext, server: StoreServer, more: Partial<S3Options> = {}) {
  const destination = await openS3({
    address,
    credentials: storeCredentials,
    region: 'eu-central-1',
    endpoint: server.origin,
    allowPrivate: true,
    retryMs: 1,
    ...more,
  });
  t.after(() => destination.close());
  return destination;
}

describe('an export to a store that speaks S3', () => {
  test('is signed, complete and incremental', async (t) => {
    const server = await openStoreServer(t);
    const { see, path, folder } = await exportingDaemon(t, { title: 'text' });
    const words = ['export', 'records', '--to', address, '--endpoint', server.origin, '--allow-private', '--json'];
    const exported = async () => {
      const { out, err } = await run([...words, '--socket', path], { cwd: folder, env });
      assert.equal(err, '');
      return (JSON.parse(out) as { rows: number }).rows;
    };
    await see([item('a', { title: 'one' }), item('b', { title: 'two' })]);
    assert.equal(await exported(), 2);
    await see([item('a', { title: 'three' })]);
    assert.equal(await exported(), 1);
    const keys = [...server.objects.keys()].map((key) => key.slice('backups/of heronry/ä/'.length));
    assert.deepEqual(keys.toSorted(), [
      'cursor.json',
      'records/shop.item/000001.ndjson',
      'records/shop.item/000002.ndjson',
    ]);
    const second = server.objects.get('backups/of heronry/ä/records/shop.item/000002.ndjson');
    assert.match(String(second), /"three"/);
  });

  test('leaves objects alone of which no cursor tells, and says so', async (t) => {
    const server = await openStoreServer(t);
    const { see, path, folder } = await exportingDaemon(t, { title: 'text' });
    await see([item('a', { title: 'one' })]);
    server.objects.set('backups/of heronry/ä/records/shop.item/000001.ndjson', Buffer.from('foreign'));
    const words = ['export', 'records', '--to', address, '--endpoint', server.origin, '--allow-private'];
    const { status, err } = await run([...words, '--socket', path], { cwd: folder, env });
    assert.equal(status, 4);
    assert.match(err, /records\/ holds files of which no cursor\.json tells/);
    assert.equal(server.objects.size, 1);
    const other = words.with(1, 'history');
    assert.equal((await run([...other, '--socket', path], { cwd: folder, env })).status, 0);
  });

  test('sends a large file in parts, tries again while the store is busy, and gives up what it cannot complete', async (t) => {
    const server = await openStoreServer(t);
    const destination = await bucket(t, server, { partBytes: 1_000 });
    const path = join(destination.spool, 'large');
    const bytes = Buffer.from(Array.from({ length: 2_500 }, (_, index) => index % 251));
    await writeFile(path, bytes);
    server.fail('PUT', 2);
    await destination.publish(path, 'large');
    assert.deepEqual(server.objects.get('backups/of heronry/ä/large'), bytes);
    assert.equal(server.asked.filter((each) => each.includes('partNumber')).length, 5);
    server.fail('PUT', 5);
    await assert.rejects(destination.publish(path, 'other'), /PUT of other answered 503 SlowDown/);
    assert.deepEqual([server.objects.has('backups/of heronry/ä/other'), server.uploads.size], [false, 0]);
    await destination.remove('large');
    assert.deepEqual([await destination.read('large'), server.objects.size], [undefined, 0]);
  });

  test('is refused with other credentials, which are not told', async (t) => {
    const server = await openStoreServer(t);
    const credentials = { ...storeCredentials, secretAccessKey: 'another-secret' };
    const destination = await bucket(t, server, { credentials });
    await assert.rejects(destination.read('cursor.json'), ({ message }: Error) => {
      assert.equal(message, `${address}: GET of cursor.json answered 403 SignatureDoesNotMatch`);
      return true;
    });
  });

  test('asks no private address unless that is allowed, and no metadata service at all', async (t) => {
    const server = await openStoreServer(t);
    await assert.rejects(bucket(t, server, { allowPrivate: false }), /127\.0\.0\.1 \(loopback\) may not be asked/);
    const metadata = bucket(t, server, { endpoint: 'http://169.254.169.254' });
    await assert.rejects(metadata, /metadata of a cloud/);
    const named = {
      endpoint: server.origin.replace('127.0.0.1', 'store.test'),
      resolve: ((_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }])) satisfies Resolve,
    };
    const refused = await bucket(t, server, { ...named, allowPrivate: false });
    await assert.rejects(refused.read('nothing'), /127\.0\.0\.1 \(loopback\) may not be asked/);
    assert.deepEqual(server.asked, []);
    assert.equal(await (await bucket(t, server, named)).read('nothing'), undefined);
  });

  test('says which credentials it lacks', async (t) => {
    const { path, folder } = await exportingDaemon(t, {});
    const { status, err } = await run(['export', 'records', '--to', address, '--socket', path], {
      cwd: folder,
      env: {},
    });
    assert.equal(status, 2);
    assert.match(
      err,
      /expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or secrets of these names/,
    );
  });
});
