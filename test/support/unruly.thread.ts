import { costed, extract, type ExtractInput } from '../../src/extract/extract.ts';
import type { ExtractOutcome } from '../../src/extract/draft.ts';
import type { LaneTask } from '../../workers/extract-lane.ts';
import { serveWith } from '../../workers/extract.thread.ts';

/** An extraction thread that does to itself what the page's path says, and reads all other pages as it should. */
export default function serve(task: LaneTask): Promise<void> {
  return serveWith(task, (input) => costed(() => unruly(input)));
}

async function unruly(input: ExtractInput): Promise<ExtractOutcome> {
  switch (new URL(input.url).pathname) {
    case '/hang':
      for (;;) Math.random();
    case '/rest':
      return new Promise(() => undefined);
    case '/starved':
      return starved(input);
    case '/slow':
      return afterMs(300, input);
    case '/busy':
      return afterMs(50, input);
    case '/throw':
      throw new RangeError('thrown by the thread');
    case '/exit':
      return process.exit(3);
    case '/hoard':
      for (const hoard: string[][] = []; ;) hoard.push(Array.from({ length: 100_000 }, (_, index) => `${index}`));
    default:
      return extract(input);
  }
}

/** Reads a page after it has used processor time. */
function afterMs(ms: number, input: ExtractInput): Promise<ExtractOutcome> {
  work(ms);
  return extract(input);
}

function work(ms: number): void {
  const before = process.threadCpuUsage();
  for (let used = 0; used < ms * 1_000;) {
    const { user, system } = process.threadCpuUsage(before);
    used = user + system;
  }
}

/** Reads a page in 160 ms of processor time, with others at the processor for more than four fifths of the time. */
function starved(input: ExtractInput): Promise<ExtractOutcome> {
  for (let part = 0; part < 16; part += 1) {
    work(10);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
  return extract(input);
}
