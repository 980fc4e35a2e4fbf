import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import type { Ports } from '../../src/control/handlers/ports.ts';
import { workerHandlers } from '../../src/control/handlers/worker.ts';

test('a worker process that drains is not told to run more steps, as it takes none', async () => {
  const ordered: string[] = [];
  const scrapes = {
    workers: async () => ({
      queued: 0,
      workers: [
        { id: 'draining', isDraining: true },
        { id: 'running', isDraining: false },
      ],
    }),
    async orderWorker(id: string) {
      ordered.push(id);
      return 'told';
    },
  } as unknown as Ports['scrapes'];
  const handlers = workerHandlers({ scrapes, daemon: {} as Ports['daemon'] });
  const resize = async (id: string) => handlers['worker.resize']({ id, concurrency: 4 }, {} as never);
  await assert.rejects(
    resize('draining'),
    (error) => error instanceof ControlError && error.code === 'conflict' && error.message.includes('is draining'),
  );
  assert.deepEqual(await resize('running'), { id: 'running' });
  assert.deepEqual(ordered, ['running']);
});
