/** A worker process whose steps are played: one for `http://site.test/hang` hangs once it was sent, any other one ends at once. */
import { runAlone } from '../../../src/engine/alone.ts';
import { systemClock } from '../../../src/clock.ts';
import { Cluster } from '../../../src/engine/bullmq/cluster.ts';
import { openQueueServer } from '../../../src/engine/bullmq/open-queue-server.ts';
import { StepWorker } from '../../../src/engine/bullmq/step-worker.ts';
import { played } from './played-steps.ts';

const [url = '', name = '', id = ''] = process.argv.slice(2);
const server = await openQueueServer(url, { failed: console.error, migrate: false });
const clock = systemClock();
const worker = await StepWorker.open(server, {
  clock,
  cluster: new Cluster({ name, version: '1', key: new Uint8Array(32).fill(1) }),
  self: { id, host: 'here', pid: process.pid, startedAt: Date.now() },
  concurrency: 2,
  run: played,
  runAlone: (now) => runAlone({ file: new URL('alone.program.ts', import.meta.url), clock, userAgent: '', now }),
  stop: () => undefined,
  warn: console.error,
});
process.send?.('ready');
process.on('message', () => {
  void worker
    .close(1_000)
    .then(() => server.close())
    .then(() => process.disconnect());
});
