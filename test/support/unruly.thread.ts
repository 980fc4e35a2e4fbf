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
  const before = process.threadCpuUsage();
  for (let used = 0; used < ms * 1_000; used = process.threadCpuUsage(before).user) Math.random();
  return extract(input);
}
