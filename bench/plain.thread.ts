import { extract, type ExtractInput } from '../src/extract/extract.ts';
import type { ExtractOutcome } from '../src/extract/draft.ts';

/** The task of a thread of a plain pool: a page with its plan. */
export default function read(input: ExtractInput): Promise<ExtractOutcome> {
  return extract(input);
}
