import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now } from './views.ts';

describe('sinks', () => {
  test('says of one that rests when it is tried again', async (t) => {
    const sink = { id: 'team', kind: 'webhook', events: ['record.*'], behind: 0, parked: 1, dead: 0 };
    const { path } = await serve(t, {
      'sink.list': () => ({ sinks: [{ ...sink, state: 'running' as const, quietUntil: now + 2_000 }] }),
    });
    const { out } = await run(['sinks', '--socket', path], { now });
    assert.match(out, /^team\twebhook\tquiet, tried again in 2s\t/m);
  });

  test('replay without options names its options', async (t) => {
    const { path } = await serve(t, {});
    for (const more of [[], ['--dead', '--from', 'k3f9Qz-1']]) {
      const { err, status } = await run(['sink', 'replay', 'team', ...more, '--socket', path], { now });
      assert.deepEqual([err, status], ['heronry: sink replay: expected one of --from, --since and --dead\n', 2]);
    }
  });
});
