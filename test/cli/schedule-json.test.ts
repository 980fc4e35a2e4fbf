import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../control/daemon.ts';
import { now } from './objective-views.ts';
import { run } from './terminal.ts';

test('schedule tells machines all of the answer as one object, and nothing besides', async (t) => {
  const turn = {
    dueAt: now,
    target: 7,
    projects: ['solar'],
    source: 'shop',
    url: 'https://shop.example/',
    key: 'shop',
  };
  const answer = { turns: [turn], more: true, unloaded: ['kickfund'], paused: 'started with --api-only' };
  const { path } = await serve(t, { 'schedule.list': () => answer });
  const { status, out, err } = await run(['schedule', '--json', '--socket', path], { now });
  assert.deepEqual({ status, err, out: JSON.parse(out) }, { status: 0, err: '', out: answer });
});
