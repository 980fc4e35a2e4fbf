import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Result } from '../../src/control/methods.ts';
import { serve } from '../control/daemon.ts';
import { hour, minute, now } from './objective-views.ts';
import { run } from './terminal.ts';
import { project, scrape } from './views.ts';

const held: Result<'project.rescrape'>['scrapes'][number] = {
  target: 7,
  scrape: 42,
  coalesced: false,
  held: {
    dueAt: now + 150 * minute,
    because: [
      { by: 'manual', at: now, effect: 'asks', decides: false, text: 'somebody asked for it' },
      { by: 'interval', at: now + hour, effect: 'asks', decides: false, text: 'every 4h on its grid' },
      {
        by: 'hours',
        at: now + 150 * minute,
        effect: 'holds',
        decides: true,
        text: 'the hours in which it may be asked',
      },
    ],
  },
};
const sentence =
  'next at 16:21:12 UTC (in 2h 30m): somebody asked for it; held back from 13:51:12 by the hours in which it may be asked';

describe('a rescrape that cannot begin yet', () => {
  test('says when it will, and what holds it back until then', async (t) => {
    const { path } = await serve(t, { 'project.rescrape': () => ({ scrapes: [held] }) });
    const { out, err, status } = await run(['rescrape', 'solar', '--socket', path], { now });
    assert.deepEqual([out, err, status], [`scrape 42 of target 7 is asked for; ${sentence}\n`, '', 0]);
  });

  test('says so where it never can, or nothing is scraped at all', async (t) => {
    const never = {
      ...held,
      coalesced: true,
      held: { because: [{ by: 'hours', effect: 'holds', decides: true, text: '' }] as const },
    };
    const { path } = await serve(t, {
      'project.rescrape': () => ({ scrapes: [never], paused: 'no room on the disk' }),
    });
    const { out, err } = await run(['rescrape', 'solar', '--socket', path], { now });
    assert.equal(
      out,
      'scrape 42 of target 7 was waiting already; not due: the hours in which it may be asked never come\n',
    );
    assert.equal(err, 'nothing is scraped at present: no room on the disk\n');
  });

  for (const words of [
    ['rescrape', 'solar', '--wait'],
    ['run', 'shop', '--project', 'solar'],
  ])
    test(`is told of at once by ${words.join(' ')}, which waits for it`, async (t) => {
      const { path } = await serve(t, {
        'source.list': () => ({
          sources: [{ id: 'shop', name: 'shop', provider: 'html', status: 'ready', targets: 1, problems: [] }],
        }),
        'project.list': () => ({
          projects: [
            { ...project, targets: project.targets.slice(0, 1).map((target) => ({ ...target, source: 'shop' })) },
          ],
        }),
        'project.rescrape': () => ({ scrapes: [held] }),
        'event.subscribe': () => ({ after: 0 }),
        'scrape.get': () => ({ scrape: { ...scrape, scrape: 42, status: 'complete' }, steps: [] }),
      });
      const { err, status } = await run([...words, '--socket', path], { now });
      assert.deepEqual([err, status], [`scrape 42 of target 7 waits; ${sentence}\n`, 0]);
    });
});
