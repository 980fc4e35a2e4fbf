import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Params } from '../../src/control/methods.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';

const now = Date.UTC(2026, 0, 1, 12);

test('pause says what is paused, by whom, until when and why', async (t) => {
  const asked: Params<'schedule.pause'>[] = [];
  const { path } = await serve(t, {
    'schedule.pause': ({ forMs, ...params }) => {
      asked.push({ ...params, ...(forMs !== undefined && { forMs }) });
      return { ...params, since: now, ...(forMs !== undefined && { until: now + forMs }) };
    },
  });
  const words = ['pause', '--source', 'shop', '--for', '2h', '--reason', 'the site moves', '--as', 'ada'];
  const { out } = await run([...words, '--socket', path], { now });
  assert.deepEqual(asked, [{ source: 'shop', forMs: 7_200_000, reason: 'the site moves', by: 'ada' }]);
  assert.equal(out, 'source shop is paused by ada until 14:00:00 UTC: the site moves\n');
});

test('resume says what is still paused', async (t) => {
  const { path } = await serve(t, {
    'schedule.resume': () => ({ resumed: true, pauses: [{ host: 'https://shop.example', since: now, by: 'ada' }] }),
  });
  const { out, err } = await run(['resume', '--socket', path], { now });
  assert.equal(out, 'everything is resumed\n');
  assert.equal(err, 'still: host https://shop.example is paused by ada\n');
});
