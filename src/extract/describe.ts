import type { ExtractFailure } from './draft.ts';

/** One lower-case sentence for people. */
export function describeExtractFailure(failure: ExtractFailure): string {
  switch (failure.code) {
    case 'not_html':
      return `not an HTML page: ${failure.mediaType}`;
    case 'empty':
      return 'the page is empty';
    case 'no_record':
      return `no record on the page: missing ${failure.missing.join(', ')}`;
    case 'too_many_records':
      return `the page has ${failure.records} records: expected at most ${failure.limit}`;
    case 'extract_timeout':
      return `reading the page took longer than ${failure.afterMs} ms`;
    case 'extract_crashed':
      return `reading the page crashed: ${failure.cause}`;
    default:
      return failure satisfies never;
  }
}
