import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { defined } from '../../defined.ts';
import type { KeptPage } from '../../vault/entry.ts';
import type { KeptPageView } from '../methods/source.ts';

/** The most bytes of pages that are remembered. */
const mostBytes = 32 * 1024 * 1024;

/** The pages that were fetched last without a source, so that a definition can be made from one without asking the site again. They are gone with the process. */
export class PeekedPages {
  readonly #pages = new LRUCache<string, KeptPage>({
    maxSize: mostBytes,
    sizeCalculation: ({ body }) => Math.max(1, body.byteLength),
  });

  /** Remembers a page. Returns the digest to find it by. */
  add({ url, contentType, fetchedAt, body: encoded }: KeptPageView & { readonly url: string }): string {
    const body = Buffer.from(encoded, 'base64');
    // Of the form of the digests of kept pages, and never one of them.
    const digest = createHash('sha256').update('peeked').update(url).update(body).digest('base64url').slice(0, 22);
    const head = { digest, target: 0, scrape: 0, version: '', status: 200, why: 'changed' } as const;
    this.#pages.set(digest, { ...head, url, observedAt: fetchedAt, body, ...defined({ contentType }) });
    return digest;
  }

  find(digest: string): KeptPage | undefined {
    return this.#pages.get(digest);
  }
}
