import { extract, type ExtractInput } from '../../src/extract/extract.ts';
import type { ExtractOutcome } from '../../src/extract/draft.ts';
import type { LaneTask } from '../../workers/extract-lane.ts';
import { serveWith } from '../../workers/extract.thread.ts';

/** An extraction thread that does to itself what the page's path says, and reads all other pages as it should. */
export default function serve(task: LaneTask): Promise<void> {
  return serveWith(task, unruly);
}

async function unruly(input: ExtractInput): Promise<ExtractOutcome> {
  switch (new URL(input.url).pathname) {
    case '/hang':
      for (;;) Math.random();
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
