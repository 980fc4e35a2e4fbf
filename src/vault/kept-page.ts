import type { Page } from '../fetch/page.ts';
import type { KeptPage } from './entry.ts';

/** Returns a kept page as it was when it was fetched, with a body of its own that a thread may take. Of its headers, only the content type was kept. */
export function fetchedPage({ url, status, contentType, observedAt, body }: KeptPage): Page {
  return {
    url,
    status,
    observedAt,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
    body: new Uint8Array(body).buffer,
    elapsedMs: 0,
    encodedBytes: 0,
  };
}
