// A program of its own: a daemon in which the first step for /bad goes astray in the way that the argument names.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { exitProcess, onUncaughtErrors } from '../../src/daemon/exit-process.ts';
import { openDaemon } from '../../src/daemon/open.ts';
import type { RunStep } from '../../src/engine/step.ts';
import { secretsFrom } from '../../src/session/secret-store.ts';

const ways: Readonly<Record<string, () => void>> = {
  'a rejection that nobody waits for': () => void Promise.reject(new Error('astray')),
  'an error thrown from a timer': () => void setTimeout(throwAstray, 2),
  'an error thrown from a microtask': () => queueMicrotask(throwAstray),
};

const [, , folder = '', way = ''] = process.argv;
const socket = join(folder, 'control.sock');
let isAstray = false;

const daemon = await openDaemon({
  clock: systemClock(),
  random: () => 0.5,
  version: '0.0.0',
  settings: { initialDelayMs: 20, everyMs: 3_600_000, timeLimitMs: 600_000, logLevel: 'silent' },
  pulseEveryMs: 300_000,
  bot: { name: 'Heronry', userAgent: 'Heronry/0.0.0', onlyLoopback: true },
  findSecrets: secretsFrom({ environment: {} }),
  threads: 1,
  report: () => undefined,
  warn: () => undefined,
  data: join(folder, 'data'),
  sources: join(folder, 'sources'),
  plugins: join(folder, 'plugins'),
  socket,
  intercept,
});
onUncaughtErrors(daemon.system, () => exitProcess(1));
// The socket opens in the reconciler's first pass, which the tree does not wait for.
while (!existsSync(socket)) await daemon.system.idle();
process.stdin.on('end', daemon.stop).resume();
if (way === 'outside of every life') setTimeout(throwAstray, 2);
process.stdout.write('up\n');
process.exitCode = (await daemon.ended) === 'shutdown' ? 0 : 3;

/** The step itself ends only with its scrape, so that only what went astray can end that. */
function intercept(runStep: RunStep): RunStep {
  return (step, signal, onSent) => {
    if (isAstray || !step.request.url.endsWith('/bad')) return runStep(step, signal, onSent);
    isAstray = true;
    ways[way]?.();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
}

function throwAstray(): never {
  throw new Error('astray');
}
