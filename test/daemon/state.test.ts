import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { createState } from '../../src/daemon/state.ts';
import { temporaryStore } from '../store/fixture.ts';

test('settings that are saved as the daemon stops are written, though the store is no longer published by then', async (t) => {
  const { store } = await temporaryStore(t);
  const configured = { everyMs: 60_000, initialDelayMs: 0, timeLimitMs: 60_000, logLevel: 'silent' } as const;
  const state = createState({ clock: new VirtualClock(0), configured, resumeEveryMs: 1_000, onPause() {} });
  state.setStore(store);
  const saved = state.saveSettings({ ...configured, everyMs: 90_000 });
  state.setStore(undefined);
  await saved;
  assert.deepEqual(store.settings.get('settings'), { everyMs: 90_000 });
});

test('an actor that was given up counts as stopped since the first time, until it has started', () => {
  const configured = { everyMs: 60_000, initialDelayMs: 0, timeLimitMs: 60_000, logLevel: 'silent' } as const;
  const state = createState({ clock: new VirtualClock(0), configured, resumeEveryMs: 1_000, onPause() {} });
  const given = { kind: 'edge', id: 'http', reason: 'port 1 is taken' } as const;
  state.gaveUp({ ...given, at: 1, retryAt: 30 });
  state.gaveUp({ ...given, at: 30, retryAt: 90 });
  assert.deepEqual([...state.stopped()], [{ ...given, since: 1, retryAt: 90 }]);
  state.started('edge', 'http');
  assert.deepEqual([...state.stopped()], []);
});
