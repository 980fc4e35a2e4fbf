import { defined } from '../defined.ts';
import type { Page } from '../fetch/page.ts';
import type { ComparedPage } from '../view/cause-question.ts';
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

/** A kept page with a body of its own, as it is sent to a thread to be compared with another one. */
export function comparedPage({ url, status, body, contentType, observedAt }: KeptPage): ComparedPage {
  return { url, status, body: new Uint8Array(body), observedAt, ...defined({ contentType }) };
}
