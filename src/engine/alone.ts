import { type ChildProcess, fork } from 'node:child_process';
import type { Clock } from '../clock.ts';
import { turnLimitMs } from '../fetch/ledger/turn-leases.ts';
import { type ErrorText, type RunStep, type Step, type StepOutcome, TurnUnused } from './step.ts';

/** What the process of a step that runs alone is told. */
export type ToAlone =
  | {
      readonly type: 'run';
      readonly step: Step;
      /** The server's time now, in ms. */
      readonly now: number;
      readonly userAgent: string;
    }
  | { readonly type: 'cancel' };

/** What the process of a step that runs alone tells. */
export type FromAlone =
  | { readonly type: 'ready' }
  | { readonly type: 'sent' }
  | { readonly type: 'ended'; readonly outcome: StepOutcome }
  | { readonly type: 'unused'; readonly message: string }
  | ({ readonly type: 'broke' } & ErrorText);

/** What a process for one step is started with. */
export interface AloneOptions {
  /** The entry file of the process. */
  readonly file: URL;
  readonly clock: Pick<Clock, 'at' | 'cancel' | 'monotonic'>;
  readonly userAgent: string;
  /** The server's time, in ms. */
  now(): number;
}

/**
 * Runs each step in a process of its own. A step that ends that process, or does not end while its turn may last, has the failure `stalled`: the process is
 * ended then. Rejects as `RunStep` says.
 */
export function runAlone({ file, clock, userAgent, now }: AloneOptions): RunStep {
  return async (step, signal, onSent) => {
    const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const tell = (message: ToAlone): void => void child.send(message, () => undefined);
    const cancel = (): void => tell({ type: 'cancel' });
    const { promise, resolve, reject } = Promise.withResolvers<StepOutcome>();
    child.on('message', (told: FromAlone) => {
      switch (told.type) {
        case 'ready':
          return tell({ type: 'run', step, now: now(), userAgent });
        case 'sent':
          return onSent();
        case 'ended':
          return resolve(told.outcome);
        case 'unused':
          return reject(new TurnUnused(told.message));
        case 'broke':
          return reject(Object.assign(new Error(told.message), told.stack !== undefined && { stack: told.stack }));
        default:
          return told satisfies never;
      }
    });
    child.once('error', reject);
    const stalls = (how: string): void => {
      // Whether it had sent the request cannot be known.
      onSent();
      resolve(stalled(how, now()));
    };
    child.once('exit', (status, by) =>
      stalls(`then the process in which it ran alone: it ended by ${by ?? `status ${status}`}`),
    );
    const limitMs = turnLimitMs(step.request.limits.totalMs);
    const deadline = clock.at(clock.monotonic() + limitMs, () =>
      stalls(
        `then it did not end in the process in which it ran alone: that was ended after ${Math.round(limitMs / 1_000)} s`,
      ),
    );
    signal.addEventListener('abort', cancel);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', cancel);
      clock.cancel(deadline);
      end(child);
    }
  };
}

/** Whether a step ended the process in which it ran alone, or did not end in it. */
export function isStalled(outcome: StepOutcome): boolean {
  return outcome.kind === 'failed' && outcome.failure.code === 'stalled';
}

function stalled(how: string, at: number): StepOutcome {
  const message = `two worker processes were lost with it, and ${how}`;
  return { kind: 'failed', failure: { code: 'stalled', message }, at, elapsedMs: 0, bytes: 0 };
}

function end(child: ChildProcess): void {
  child.removeAllListeners('exit');
  child.kill('SIGKILL');
}
