import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '../../src/control/client.ts';
import { productSource } from '../support/daemon.ts';
import { folderWith, startProcess } from './process.ts';
import { runningUnder, untilReady } from './tracking.ts';

const sources = { shop: productSource('shop') };
const targets = [{ source: 'shop', url: 'http://127.0.0.1:9/' }];

test('a daemon that was killed twice has each project once [B5]', async (t) => {
  const folder = await folderWith(t, sources);
  const at = { data: join(folder, 'data'), sources: join(folder, 'sources'), socket: join(folder, 'control.sock') };
  const ids = ['a', 'b', 'c'];
  for (let start = 1; start <= 3; start += 1) {
    const daemon = startProcess(t, at);
    await daemon.up;
    const client = await connect(at.socket);
    if (start === 1) for (const id of ids) await client.call('project.add', { id, targets });
    await untilReady(client);
    if (start > 1) assert.deepEqual(await runningUnder('projects', client), ids);
    assert.equal((await client.call('daemon.status', {})).projects.active, 3);
    daemon.child.kill('SIGKILL');
    assert.equal((await daemon.ended).status, null);
    client.close();
  }
});
