import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TargetView } from '../../src/control/methods/target.ts';
import { serve } from '../control/daemon.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';
import { now, project, scrape } from './views.ts';

describe('a rescrape that cannot begin', () => {
  test('is refused where the source has no definition any more, and the source is listed with what waits for one', async (t) => {
    const site = await openSite(t, { '/p/solar': productPage('S1', '5.00') });
    const { client, socket, folder } = await startDaemon(t, {
      sources: { shop: productSource('shop', `url: "${site.origin}/p/{slug}"`) },
    });
    await client.call('project.add', { id: 'solar', targets: [{ url: site.url('/p/solar') }] });
    await rm(join(folder, 'sources', 'shop.yaml'));
    await client.call('source.reload', { force: true });
    const refused = await run(['rescrape', 'solar', '--wait', '--socket', socket]);
    assert.equal(refused.status, 4, refused.err);
    assert.match(refused.err, /nothing to scrape: target \d+ is on "shop", of which no definition is loaded/);
    const listed = await run(['sources', '--socket', socket], { columns: 80 });
    assert.equal(listed.err, '');
    assert.match(listed.out, /^shop {4}definition_error {2}1/m);
    assert.match(listed.out, /^shop: no definition of it is loaded, and nothing of its 1 target is asked$/m);
    assert.match((await run(['list', '--socket', socket])).out, /^solar\tdefinition_error\t/m);
    assert.match((await run(['status', '--socket', socket])).out, /^sources {3}0 ready, 1 with targets, but without/m);
    assert.match(
      (await run(['show', 'solar', '--socket', socket])).out,
      /not asked .*no definition of source shop is loaded/,
    );
  });

  const parked = { at: now, reason: '4 crashes in a row', retryAt: now + 60_000, times: 1 };
  const blocks: readonly (readonly [string, Partial<TargetView>, string])[] = [
    ['is parked', { status: 'parked', parked }, 'target 7 is parked: 4 crashes in a row'],
    [
      'lost its definition',
      { conditions: ['definition_error'] },
      'definition_error: no definition of source crowd is loaded',
    ],
    ['is disabled', { status: 'disabled' }, 'target 7 is disabled'],
  ];
  for (const [what, change, why] of blocks) {
    test(`is waited for no longer once its target ${what}`, async (t) => {
      const [target] = project.targets;
      assert.ok(target);
      const { path } = await serve(t, {
        'project.rescrape': () => ({ scrapes: [{ target: 7, scrape: 42, coalesced: false }] }),
        'project.get': () => ({ ...project, targets: [{ ...target, ...change }] }),
        'event.subscribe': () => ({ after: 0 }),
        'scrape.get': () => ({ scrape: { ...scrape, scrape: 42, status: 'waiting' }, steps: [] }),
      });
      const { status, err } = await run(['rescrape', 'solar', '--wait', '--socket', path], { now });
      assert.deepEqual({ status, err }, { status: 1, err: `heronry: scrape 42 can't begin: ${why}\n` });
    });
  }
});
