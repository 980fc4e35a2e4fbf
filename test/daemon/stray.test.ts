import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect } from '../../src/control/client.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const program = fileURLToPath(new URL('./stray-program.ts', import.meta.url));

describe('an error in a scraper that nobody waits for', () => {
  const ways = [
    'a rejection that nobody waits for',
    'an error thrown from a timer',
    'an error thrown from a microtask',
  ];
  for (const way of ways) {
    test(`${way} ends that scrape and neither the daemon nor another project's (B32)`, async (t) => {
      const site = await openSite(t, { '/bad': productPage('X', '1'), '/good': productPage('G', '1') });
      const { folder, child, exit } = await startProgram(t, way);
      const client = await connect(join(folder, 'control.sock'));
      const both = Promise.withResolvers<void>();
      const told: [string, string | undefined][] = [];
      await client.subscribe({ after: 0 }, ({ type, projects: [project] = [] }) => {
        told.push([type, project]);
        if (told.filter(([each]) => each === 'scrape.completed').length === 2) both.resolve();
      });
      for (const id of ['bad', 'good'])
        await client.call('project.add', { id, targets: [{ source: id, url: site.url(`/${id}`) }] });
      await both.promise;

      assert.deepEqual(
        told.filter(([type]) => type === 'target.crashed'),
        [['target.crashed', 'bad']],
      );
      const { scrapes } = await client.call('scrape.list', { project: 'bad' });
      assert.deepEqual(
        scrapes.map(({ status, failure }) => [status, failure?.code]),
        [
          ['complete', undefined],
          ['failed', 'crashed'],
        ],
      );
      client.close();
      child.stdin?.end();
      assert.deepEqual(await exit, [0, null]);
    });
  }

  test('outside of every life ends the daemon with status 1', async (t) => {
    const { exit } = await startProgram(t, 'outside of every life');
    assert.deepEqual(await exit, [1, null]);
  });
});

async function startProgram(
  t: TestContext,
  way: string,
): Promise<{ folder: string; child: ChildProcess; exit: Promise<unknown[]> }> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'sources'));
  for (const id of ['bad', 'good'])
    await writeFile(
      join(folder, 'sources', `${id}.yaml`),
      productSource(id, '').replace('politeness: {', `politeness: { key: ${id},`),
    );
  const child = spawn(process.execPath, [program, folder, way], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  // It may be over before what it said is here.
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  return { folder, child, exit };
}
