import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { startProcess } from '../../src/process/own-process.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { connectWhenUp, daemonFolder } from './own-daemon.ts';

const program = join(import.meta.dirname, 'watched-imports.program.ts');

/** The packages that a daemon loads as it starts and scrapes a page, if its engine is its own. */
async function packagesOf(t: TestContext, config: object): Promise<readonly string[]> {
  const site = await openSite(t, { '/a': productPage('Lamp', '12') });
  const folder = await daemonFolder(t, { shop: productSource('shop') });
  const [file, socket] = [join(folder, 'heronry.yaml'), join(folder, 'socket')];
  await writeFile(file, JSON.stringify({ data: 'data', sources: 'sources', ...config }));
  const loaded: string[] = [];
  const wrote = (line: string): void => {
    if (line.startsWith('loaded ')) loaded.push(line.slice('loaded '.length));
  };
  const daemon = await startProcess(program, ['start', '--config', file, '--socket', socket], { wrote });
  t.after(() => daemon.stop());
  const client = await connectWhenUp(socket, daemon);
  const asked = site.nextAsked('/a');
  await client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
  if (!('engine' in config)) await asked;
  client.close();
  await daemon.stop();
  return loaded;
}

test('a daemon that asks itself loads no package of Redis, PostgreSQL or queues; one with worker processes does', async (t) => {
  const own = await packagesOf(t, {});
  assert.ok(own.includes('lmdb') && own.includes('undici'));
  const foreign = (loaded: readonly string[]) => loaded.filter((name) => /bullmq|redis|^pg/.test(name));
  assert.deepEqual(foreign(own), []);
  // Nothing listens there; the packages are loaded all the same.
  const shared = await packagesOf(t, { engine: { bullmq: { url: 'redis://127.0.0.1:1' } } });
  assert.ok(foreign(shared).includes('bullmq') && foreign(shared).includes('ioredis'));
});
