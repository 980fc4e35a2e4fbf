import * as z from 'zod';
import { Instant, Serial } from '../../view/fields.ts';
import { OfSource } from './fields.ts';
import type { MethodSpec } from './method.ts';
import { Digest } from './page.ts';

/** The kept pages of one source. */
const KeptOfSource = z.strictObject({
  source: z.string(),
  /** Entries of its packs; a page that came twice has two. */
  pages: z.int(),
  packs: z.int(),
  bytes: z.int(),
});

/** A page that was kept. */
export const PageView = z.strictObject({
  digest: z.string(),
  target: Serial,
  /** The number of the scrape; 0 for a re-check. */
  scrape: z.int(),
  /** The version of the definition by which it was read. */
  version: z.string(),
  /** Set for a page that items of a list lead to: the type of their records. */
  itemType: z.string().optional(),
  url: z.string(),
  status: z.int(),
  contentType: z.string().optional(),
  observedAt: Instant,
  /** `changed`: its step changed something, or it was the first of its address. `bad`: nothing could be read from it. */
  why: z.enum(['changed', 'bad', 'file', 'screenshot']),
  /** The digest of the picture that the browser took of it. */
  screenshot: z.string().optional(),
  /** Of such a picture: the digest of its page. */
  of: z.string().optional(),
  /** Set where credentials that the site repeated were taken out of it. */
  redacted: z.literal(true).optional(),
});
export type PageView = z.infer<typeof PageView>;

/** Methods on kept pages. */
export const vaultMethods = {
  'vault.status': {
    params: z.strictObject({ source: OfSource }),
    result: z.strictObject({
      /** How long pages are kept, and how many bytes of them; missing where none are kept. */
      limits: z.strictObject({ keepMs: z.int(), maxBytes: z.int() }).optional(),
      pages: z.int(),
      packs: z.int(),
      bytes: z.int(),
      /** Pages that wait for room on the disk. */
      waiting: z.int(),
      /** Pages that were dropped since the start of the daemon, as too many waited for room. */
      dropped: z.int(),
      sources: z.array(KeptOfSource).readonly(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Reports the pages that are kept as evidence, by source.',
  },
  'page.get': {
    params: z.strictObject({ digest: Digest }),
    result: z.strictObject({
      page: PageView,
      /** The body in base64: at most 4 MiB of a page, 32 MiB of a file. */
      body: z.string(),
    }),
    role: 'read',
    scope: 'daemon',
    doc: 'Reads a kept page or file by its digest, which changes of records name as `page`, and records in `files`. Not found where it has expired, or where it is damaged.',
  },
} as const satisfies Record<string, MethodSpec>;
