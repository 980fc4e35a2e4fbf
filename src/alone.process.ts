import { availableParallelism } from 'node:os';
import { createSystem } from './actor/system.ts';
import { systemClock } from './clock.ts';
import type { FromAlone, ToAlone } from './engine/alone.ts';
import { errorText, TurnUnused } from './engine/step.ts';
import { createWorkerEngine } from './worker-engine.ts';
import { workerRoot } from '../supervisors/worker-root.ts';

/* The process of a step that runs alone, since two worker processes were lost with it. It ends with the process that started it. */

const tell = (message: FromAlone): void => void process.send?.(message);
const running = new AbortController();
process.on('disconnect', () => process.exit());
// What tells all processes of a service or a terminal to end is for the worker process, which cancels the step in order; ended here, it would have stalled.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('message', (message: ToAlone) => {
  if (message.type === 'cancel') running.abort(new Error('the step was cancelled'));
  else void run(message);
});
tell({ type: 'ready' });

async function run({ step, now, userAgent }: Extract<ToAlone, { type: 'run' }>): Promise<void> {
  const clock = systemClock();
  const ahead = now - clock.monotonic();
  const threads = Math.max(1, availableParallelism() - 1);
  const system = createSystem({ clock, report: () => undefined });
  const parts = { clock, threads, userAgent, now: () => clock.monotonic() + ahead, warn: () => undefined };
  const { run: runStep, ...engine } = createWorkerEngine(parts);
  try {
    await system.spawn(workerRoot(engine), { id: 'root' });
    tell({ type: 'ended', outcome: await runStep(step, running.signal, () => tell({ type: 'sent' })) });
  } catch (error) {
    tell({ type: error instanceof TurnUnused ? 'unused' : 'broke', ...errorText(error) });
  }
}
