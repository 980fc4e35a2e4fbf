import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { ownVersion } from '../../src/own-package.ts';
import { Cluster } from '../../src/engine/bullmq/cluster.ts';
import { Dispatcher } from '../../src/engine/bullmq/dispatcher.ts';
import { openQueueServer } from '../../src/engine/bullmq/open-queue-server.ts';
import type { Step } from '../../src/engine/step.ts';
import { suiteEnd } from '../support/servers/own-server.ts';
import { openSite } from '../support/site.ts';
import { keyed, planFor } from '../extract/plan.ts';
import { daemonFolder, startBeside } from './own-daemon.ts';
import { queueServers } from './worker-cluster.ts';

const steps = 10_000;

/** Connections are made, code is compiled and the heap has its size after so many steps. */
const warmUpSteps = 1_000;

/** The steps that are with the worker process at a time. */
const atATime = 32;

const limits = { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 180_000, maxBytes: 1_000_000 };
const reading = { source: 'shop', plan: planFor([keyed({ price: { type: 'money' }, text: {} })]), limitMs: 5_000 };

/** Why the memory of another process cannot be read here; `false` where it can. */
const noMemory = existsSync('/proc/self/status') ? false : 'there is no /proc';

/** The resident memory of a process, in bytes. */
async function memoryOf(pid: number): Promise<number> {
  const [, kilobytes = ''] = /^VmRSS:\s*(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

for (const { what, skip, start } of queueServers)
  describe(`a worker process that takes steps from ${what}`, { skip: skip === false ? noMemory : skip }, () => {
    const end = suiteEnd();

    test('has less than twice the memory after 10,000 pages that it had when it was warm (S50)', async (t) => {
      const folder = await daemonFolder(end, {});
      const url = await start(end);
      const key = randomBytes(32);
      await writeFile(join(folder, 'cluster.key'), key, { mode: 0o600 });
      const name = `memory-${process.pid}`;
      const engine = { bullmq: { url, cluster: name, key: 'cluster.key' } };
      await writeFile(join(folder, 'heronry.yaml'), JSON.stringify({ engine }));
      const site = await openSite(t);
      const filler = 'All that is known of it stands here. '.repeat(100);
      site.answer('/page', ({ url: path = '' }, response) => {
        const sku = path.replace(/\D/g, '');
        response.setHeader('content-type', 'text/html');
        response.end(`<p class=key>${sku}</p><p class=price>EUR ${sku}.00</p><p class=text>${sku} ${filler}</p>`);
      });

      const server = await openQueueServer(url, { failed: () => undefined, migrate: true });
      const usable = Promise.withResolvers<void>();
      const dispatcher = await Dispatcher.open(
        server,
        {
          clock: systemClock(),
          cluster: new Cluster({ name, version: ownVersion(), key }),
          holder: 'test',
          forgetAfterMs: 60_000,
          credited: (credit) => void (credit >= atATime && usable.resolve()),
          superseded: () => assert.fail('superseded'),
          warn: (problem, error) => assert.fail(`${problem}: ${String(error)}`),
        },
        t.signal,
      );
      t.after(async () => {
        await dispatcher.close();
        await server.close();
      });
      const config = join(folder, 'heronry.yaml');
      const { pid } = await startBeside(folder, ['worker', '--config', config, '--concurrency', `${atATime}`]);
      await usable.promise;

      let next = 0;
      const readUpTo = async (count: number): Promise<void> => {
        while (next < count) {
          next += 1;
          const step: Step = { request: { url: site.url(`/page?${next}`), allowPrivate: true, limits }, reading };
          const outcome = await dispatcher.run(step, t.signal, () => undefined);
          assert.equal(outcome.kind === 'read' && outcome.extraction.drafts.length, 1, JSON.stringify(outcome));
          dispatcher.acknowledge(outcome.receipt ?? '');
        }
      };
      const readAll = (count: number) => Promise.all(Array.from({ length: atATime }, () => readUpTo(count)));
      await readAll(warmUpSteps);
      const before = await memoryOf(pid);
      await readAll(steps);
      const after = await memoryOf(pid);
      assert.ok(before > 0 && after < 2 * before, `${before} bytes before, ${after} bytes after`);
    });
  });
