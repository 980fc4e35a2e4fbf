import { extract, type ExtractInput } from '../src/extract/extract.ts';
import type { ExtractOutcome } from '../src/extract/draft.ts';

/** The task of an extraction thread: one page in, what it gave out. */
export default function extractOnThread(input: ExtractInput): Promise<ExtractOutcome> {
  return extract(input);
}
