import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createSystem } from '../../src/actor/system.ts';
import { systemClock } from '../../src/clock.ts';
import { connect } from '../../src/control/client.ts';
import { isListening } from '../../src/control/socket-path.ts';
import { control } from '../../workers/control.ts';
import { handlersWith, temporaryDirectory } from './daemon.ts';

const deps = { handlers: handlersWith({}), failed: () => {}, audit: () => {} };

describe('control actor', () => {
  test('its socket is open as long as it lives', async (t) => {
    const path = join(await temporaryDirectory(t), 'control.sock');
    const system = createSystem({ clock: systemClock() });
    const started = await system.spawn((self) => control(self, { path, ...deps }));
    assert.ok(started.ok === true);
    const client = await connect(path);
    assert.deepEqual(await client.call('daemon.ping', {}), {});
    system.exit(started.ref, 'shutdown');
    assert.equal(await system.ended(started.ref), 'shutdown');
    assert.equal((await client.closed)?.code, 'hung_up');
    assert.equal(await isListening(path), false);
  });

  test('a place where it cannot listen is a failed start', async (t) => {
    const path = join(await temporaryDirectory(t), 'control.sock');
    await writeFile(path, '');
    const system = createSystem({ clock: systemClock() });
    const started = await system.spawn((self) => control(self, { path, ...deps }));
    assert.equal(started.ok, false);
  });
});
