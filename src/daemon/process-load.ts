import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What this process takes of the machine, and how busy it is. */
export interface ProcessLoad {
  /**
   * Memory of the process's own, in bytes: without the pages of files, such as the store's, that are mapped into it and
   * that the system takes back when it needs them. All of its resident memory where the system does not tell them apart.
   */
  memoryBytes(): number;
  /** How late the event loop was to what was due, in milliseconds: the 99th percentile of the last 10 to 20 s. */
  loopDelayMs(): number;
  /** Stops measuring. */
  close(): void;
}

/** Each sample wakes the process. */
const sampleMs = 50;
const windowMs = 10_000;

/** Measures this process until it is closed. */
export function measureProcess(): ProcessLoad {
  const delays = monitorEventLoopDelay({ resolution: sampleMs });
  delays.enable();
  let before = 0;
  const window = setInterval(() => {
    before = lateMs();
    delays.reset();
  }, windowMs);
  window.unref();

  return {
    memoryBytes: ownMemoryBytes,
    loopDelayMs: () => Math.max(before, lateMs()),
    close() {
      clearInterval(window);
      delays.disable();
    },
  };

  function lateMs(): number {
    // What is measured is the time from one sample to the next.
    return delays.count === 0 ? 0 : Math.max(0, Math.round(delays.percentile(99) / 1e6 - sampleMs));
  }
}

function ownMemoryBytes(): number {
  return anonymousBytes(readStatus()) ?? process.memoryUsage.rss();
}

/** Returns the anonymous resident memory in the text of `/proc/PID/status`; undefined where it does not tell it. */
export function anonymousBytes(status: string | undefined): number | undefined {
  const kilobytes = status === undefined ? undefined : /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
}

function readStatus(): string | undefined {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    // Only Linux has it, and a container may hide it.
    return undefined;
  }
}
