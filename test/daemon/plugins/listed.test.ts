import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSite } from '../../support/site.ts';
import { json } from '../lists/listing.ts';
import { pagesPlugin, pluggedSource, startPlugged } from './plugging.ts';

test('a source whose plug-in could not be used is listed with why, until it is mended', async (t) => {
  const site = await openSite(t, { '/trials': json({ trials: [{ id: 'a' }] }) });
  const daemon = await startPlugged(
    t,
    { 'good.ts': pagesPlugin, 'shapeless.ts': 'export default { read() {} };', 'torn.ts': 'throw new Error("torn");' },
    {
      sources: { good: pluggedSource('good'), shapeless: pluggedSource('shapeless'), torn: pluggedSource('torn') },
    },
  );
  const listed = async () =>
    (await daemon.client.call('source.list', {})).sources.map(({ id, status, problems }) => [
      id,
      status,
      problems.map(({ message }) => message.replace(/:.*/, '')),
    ]);
  for (const id of ['good', 'shapeless', 'torn']) await daemon.track(id, { url: site.url('/trials') });
  assert.deepEqual(await listed(), [
    ['good', 'ready', []],
    ['shapeless', 'definition_error', ['shapeless.ts']],
    ['torn', 'definition_error', ['torn.ts']],
  ]);
  await daemon.plug('torn.ts', pagesPlugin);
  await daemon.client.call('source.reload', {});
  assert.equal((await daemon.again('torn')).scrape.status, 'complete');
  assert.deepEqual((await listed())[2], ['torn', 'ready', []]);
});
