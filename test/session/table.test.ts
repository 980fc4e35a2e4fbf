import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEnvironment } from '../../src/store/lmdb/environment.ts';
import { table } from '../../src/store/lmdb/table.ts';
import { auths, Shop, temporaryFolder } from './support.ts';

test('a sealed session comes back from the store as it went in', async (context) => {
  const environment = openEnvironment({ path: temporaryFolder(context) });
  context.after(() => environment.close());
  const sessions = table<string, string>(environment, 'sessions');
  const site = new Shop();
  const desk = await site.open(auths.form);
  await desk.authenticate(0);
  const { saved } = site;
  assert.ok(saved !== undefined);
  await environment.commit(() => sessions.put('shop', saved));
  assert.equal(sessions.get('shop'), saved);
});
