import type { LogLevel } from '../log.ts';
import { launcherFile } from '../own-package.ts';
import { endText, startProcess } from '../process/own-process.ts';
import type { WorkerChild } from '../../workers/scaler.ts';

/** How long a worker process that the daemon has started may take to end, in ms: longer than its steps may. */
export const workerGraceMs = 30_000;

/** What a worker process that the daemon starts is told. */
export interface StartWorkerOptions {
  /** The configuration of the daemon. */
  readonly config: string;
  /** The file of the key of the cluster. */
  readonly key: string;
  readonly logLevel: LogLevel;
  /** Called with each line that it writes. */
  wrote(line: string): void;
}

/** Returns a function that starts a worker process on this machine. It ends with the daemon, however that ends. */
export function createStartWorker({ config, key, logLevel, wrote }: StartWorkerOptions) {
  return async (concurrency: number): Promise<WorkerChild> => {
    const named = { config, key, concurrency: String(concurrency), 'log-level': logLevel };
    const words = ['worker', ...Object.entries(named).flatMap(([name, value]) => [`--${name}`, value])];
    const { pid, ended, stop } = await startProcess(launcherFile, words, { graceMs: workerGraceMs, wrote });
    return { pid, ended: ended.then(endText), stop };
  };
}
