import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../cli/terminal.ts';
import { openSite } from '../../support/site.ts';
import { json } from '../lists/listing.ts';
import { pagesPlugin, pluggedSource, startPlugged } from './plugging.ts';

test('pages that a plug-in reads are kept as they came, and read again by the corrected plug-in', async (t) => {
  const site = await openSite(t);
  const trialsOn = (day: number) => ({
    trials: [{ id: 'a', title: `draft ${day}`, heading: `Trial of day ${day}` }],
  });
  const daemon = await startPlugged(
    t,
    { 'register.ts': pagesPlugin },
    { sources: { register: pluggedSource('register') }, vault: { keep: 86_400_000, maxBytes: 1024 ** 3 } },
  );
  const cli = (...words: string[]) => run([...words, '--socket', daemon.socket]);
  site.answer('/trials', json(trialsOn(1)));
  await daemon.track('register', { url: site.url('/trials') });
  site.answer('/trials', json(trialsOn(2)));
  await daemon.again('register');
  const titles = async () => {
    const { changes } = await daemon.client.call('project.history', { id: 'register', field: 'title', limit: 10 });
    return changes.map(({ fields }) => fields['title']?.new);
  };
  assert.deepEqual(await titles(), ['draft 2', 'draft 1']);
  const { changes } = await daemon.client.call('project.history', { id: 'register', limit: 10 });
  const pages = await Promise.all(changes.map(async ({ page = '' }) => (await cli('page', page)).out.trimEnd()));
  assert.deepEqual(
    pages,
    [2, 1].map((day) => JSON.stringify(trialsOn(day))),
  );

  await daemon.plug('register.ts', pagesPlugin.replace('fields })', 'fields: { ...fields, title: fields.heading } })'));
  await daemon.client.call('source.reload', {});
  const asked = site.asked.length;
  assert.match(
    (await cli('reextract', 'register')).out,
    /^job 1 of register is ready: 2 pages read, 2 corrections of 1 record/,
  );
  assert.match((await cli('reextract', '--apply', '1')).out, /^job 1 of register is applied: /);
  assert.equal(site.asked.length, asked);
  assert.deepEqual(await titles(), ['Trial of day 2', 'draft 2', 'Trial of day 1', 'draft 1']);
  const { records } = await daemon.client.call('project.records', { id: 'register' });
  assert.equal(records[0]?.fields['title']?.value, 'Trial of day 2');
});
