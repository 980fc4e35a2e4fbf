import type { ExtractFailure } from './draft.ts';
import { documentKind } from './document/all.ts';

/** Describes why a page could not be read, for people: one sentence in lower case. */
export function describeExtractFailure(failure: ExtractFailure): string {
  switch (failure.code) {
    case 'not_html':
      return `not an HTML page: ${failure.mediaType}`;
    case 'wrong_type':
      return `not ${documentKind(failure.document).title}: ${failure.mediaType}`;
    case 'unparseable':
      return `the page is no ${failure.document.toUpperCase()} that can be read: ${failure.message}`;
    case 'empty':
      return 'the page is empty';
    case 'too_many_parts':
      return `the document has more than ${failure.limit} ${documentKind(failure.document).view === 'json' ? 'values' : 'tags'}, which no thread could hold`;
    case 'no_record':
      return `no record on the page: missing ${failure.missing.join(', ')}`;
    case 'too_many_records':
      return `the page has more than ${failure.limit} records`;
    case 'extract_timeout':
      return `reading the page took longer than ${failure.afterMs} ms`;
    case 'extract_crashed':
      return `reading the page crashed: ${failure.cause}`;
    default:
      return failure satisfies never;
  }
}
