import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSite } from '../../support/site.ts';
import { recordsOf } from '../lists/listing.ts';
import { startPlugged } from './plugging.ts';

const text = readFileSync(join(import.meta.dirname, '../../../docs/plug-ins.md'), 'utf8');

test('the plug-in and the definition of the docs are a source that works, as they are written', async (t) => {
  const site = await openSite(t, {
    '/api/west/sleep':
      '<div class=trial id=T1><h2>Naps</h2><i class=n>4</i></div><div class=trial id=T2><h2>Snores</h2><i class=n>few</i></div>',
  });
  const code = /```ts\n(import \{ defineProvider.*?)```/s.exec(text)?.[1] ?? '';
  const yaml = /```yaml\n(id: register.*?)```/s.exec(text)?.[1] ?? '';
  const here = (written: string): string => written.replaceAll('https://register.example', site.origin);
  const loopback =
    'allowPrivate: true\nrobots: ignore\npoliteness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }\n';
  const daemon = await startPlugged(t, { 'register.ts': here(code) }, { sources: { register: here(yaml) + loopback } });
  const { scrape, steps } = await daemon.track('register', { params: { topic: 'sleep' } });
  assert.equal(scrape.status, 'complete', JSON.stringify(scrape));
  assert.deepEqual(
    site.asked.map(({ path }) => path),
    ['/api/west/sleep?limit=100'],
  );
  const records = await recordsOf(daemon.client, 'register');
  assert.deepEqual([...records.keys()].sort(), ['T1', 'T2']);
  assert.equal(records.get('T1')?.fields['pages']?.value, 4);
  assert.deepEqual(steps[0]?.unparsed, [{ record: 'trial', field: 'pages', text: 'few', expected: 'a whole number' }]);
});
