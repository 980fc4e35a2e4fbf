import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openPool, pageOf, valueOf, written } from './support.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/plug-ins.md'), 'utf8');

test('the example of the docs is a plug-in that runs', async (context) => {
  const pool = await openPool(context, { threads: 1 });
  const source = /```ts\n(import \{ defineProvider.*?)```/s.exec(text)?.[1];
  assert.ok(source !== undefined);
  const plugin = written(source, 'docs.ts');
  const options = { board: 'west' };
  const place = { params: { topic: 'sleep' }, page: 2, cursor: 'T1', pageSize: 100 };
  assert.deepEqual(valueOf(await pool.call(plugin, 'request', place, { options })), {
    url: 'https://register.example/api/west/sleep?limit=100&after=T1',
  });
  const html = '<div class=trial id=T1><h2>Naps</h2><i class=n>4</i></div><a rel=next href="T2">more</a>';
  assert.deepEqual(valueOf(await pool.call(plugin, 'read', pageOf(html), { options })), {
    drafts: [{ type: 'trial', key: 'T1', fields: { title: 'Naps', pages: 4 } }],
    next: 'T2',
    finished: false,
    unparsed: [],
  });
});

test('the docs name every way in which a call can fail', () => {
  for (const code of 'threw timeout memory exited crashed bad_module bad_options bad_result'.split(' ')) {
    assert.ok(text.includes(`\`plugin_${code}\``), code);
  }
});
