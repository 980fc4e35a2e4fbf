import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const entry = new URL('../../workers/extract.thread.ts', import.meta.url).href;

/** The addresses of all modules that the thread loads before its first page. */
const watched = `
  const { registerHooks } = require('node:module');
  const loaded = [];
  registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
  import(${JSON.stringify(entry)}).then(() => require('node:worker_threads').parentPort.postMessage(loaded));
`;

test('an extraction thread loads neither the library of schemas nor definitions', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  const thread = new Worker(watched, { eval: true });
  thread.once('message', resolve).once('error', reject);
  const loaded = await promise;
  await thread.terminate();
  assert.ok(loaded.includes(entry));
  assert.deepEqual(
    loaded.filter((url) => /\/node_modules\/zod\/|\/src\/(?:definition|provider)\//.test(url)),
    [],
  );
});
