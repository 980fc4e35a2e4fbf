import { isDocument } from 'domhandler';
import { defined } from '../defined.ts';
import { countUpTo, isTooDense, maxParts } from './tree/parts.ts';
import { decode } from './decode.ts';
import { documentKind, type DocumentName } from './document/all.ts';
import type { ExtractFailure } from './draft.ts';
import { inflate } from './inflate.ts';
import type { ExtractPlan } from './plan.ts';
import { JsonSpot, type PageContext, pageContext, type Spot } from './rule/spot.ts';
import { isBounded, spend } from '../work-budget.ts';

/** The media type in a `Content-Type`, in lower case and without parameters; empty when there is none. */
function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Media types that servers give to files of unknown kind; the content decides then. */
const vagueTypes: ReadonlySet<string> = new Set([
  '',
  'text/plain',
  'application/octet-stream',
  'application/unknown',
  'unknown/unknown',
]);

/** How an HTML page begins, which no other document does, whatever it is called. */
const htmlBegins = /^<(?:!doctype\s+html|html[\s>])/i;

/** Bytes that are looked at to tell text from data. A pattern looks through them many times as fast as a loop. */
const sniffedBytes = 1024;

/**
 * Returns a phrase for what a body is if it is no document of the expected kind; undefined if it is one. A body with the media type
 * of the kind is a document unless it is binary, or begins as an HTML page where none is expected. A body with no media type, a
 * vague one, or one that servers give such documents by mistake is a document if it also begins as such documents do.
 */
export function foreignMediaType(
  body: Uint8Array,
  contentType: string | undefined,
  document: DocumentName = 'html',
): string | undefined {
  const { media, view } = documentKind(document);
  const mediaType = mediaTypeOf(contentType);
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, sniffedBytes)).toString('latin1');
  const isCalled = media.called.test(mediaType);
  if (!isCalled && !vagueTypes.has(mediaType) && media.miscalled?.test(mediaType) !== true) return mediaType;
  if (isBinary(head)) return isCalled ? `binary content called ${mediaType}` : mediaType || 'binary content';
  const beginning = beginningOf(head);
  if (view !== 'html' && htmlBegins.test(beginning))
    return isCalled ? `an HTML page called ${mediaType}` : mediaType || 'text/html';
  return isCalled || media.begins.test(beginning) ? undefined : mediaType || media.otherwise;
}

/** How PDF, ZIP, gzip, PNG and JPEG begin. */
const binaryBegins = new RegExp(String.raw`^(?:%PDF-|PK\x03\x04|\x1f\x8b|\x89PNG|\xff\xd8\xff)`);

/** Control characters that texts rarely hold; tab, line feeds and the escape of ISO 2022 are not among them. */
const control = new RegExp(String.raw`[\x01-\x08\x0b\x0e-\x1a\x1c-\x1f]`, 'g');

/** Whether a body is no text, by its first bytes as one character each. A stray control character or a few are no reason: sites send them. */
function isBinary(head: string): boolean {
  if (binaryBegins.test(head)) return true;
  if (/^(?:\xff\xfe|\xfe\xff)/.test(head)) return false;
  return head.includes('\0') || (head.match(control)?.length ?? 0) > 4 + head.length / 50;
}

/** The first characters of a body without zeroes, marks of byte order and space before them, so that UTF-16 reads alike. */
function beginningOf(head: string): string {
  return head
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trimStart();
}

/** A decoded and parsed body, or why it could not be read. `text` is its text, `root` where rules begin. */
export type OpenedBody =
  | {
      readonly ok: true;
      readonly root: Spot;
      readonly page: PageContext;
      readonly text: string;
      readonly isEmptyList: boolean;
      readonly endsIn?: string;
    }
  | { readonly ok: false; readonly failure: ExtractFailure; readonly text?: string };

/** Decodes and parses a body, inflated if it is a file of gzip, as the kind of document that its plan reads. Rejects with `TooManyParts` if it has more attributes than a thread may hold. */
export async function openDocument(
  bytes: Uint8Array,
  url: string,
  contentType: string | undefined,
  plan: ExtractPlan,
): Promise<OpenedBody> {
  if (bytes.length === 0) return { ok: false, failure: { code: 'empty' } };
  const inflated = inflate(bytes);
  if (!inflated.ok)
    return { ok: false, failure: { code: 'unparseable', document: plan.document, message: inflated.message } };
  return openBytes(inflated.body, url, inflated.isFile ? typeWithin(contentType) : contentType, plan);
}

/** What the media type of a file of gzip says of what it holds: nothing, where it is only that of gzip. */
function typeWithin(contentType: string | undefined): string | undefined {
  return /^application\/(?:x-)?gzip$/.test(mediaTypeOf(contentType)) ? undefined : contentType;
}

async function openBytes(
  bytes: Uint8Array,
  url: string,
  contentType: string | undefined,
  plan: ExtractPlan,
): Promise<OpenedBody> {
  const mediaType = foreignMediaType(bytes, contentType, plan.document);
  if (mediaType !== undefined) return { ok: false, failure: foreign(mediaType, plan) };
  const kind = documentKind(plan.document);
  spend(bytes.length * kind.steps.byte);
  const { text, brokenCharset } = decode(bytes, contentType, plan.encoding);
  if (text.trim() === '') return { ok: false, failure: { code: 'empty' } };
  if (isTooDense(text, kind.marks(plan)))
    return { ok: false, failure: { code: 'too_many_parts', document: plan.document, limit: maxParts }, text };
  if (isBounded()) spend(countUpTo(text, kind.marks(plan), maxParts) * kind.steps.mark);
  const opened = await kind.open(text, plan, url);
  if (!opened.ok)
    return { ok: false, failure: { code: 'unparseable', document: plan.document, message: opened.message }, text };
  const { root, base = url, hasBases, isEmptyList = false, endsIn } = opened;
  const tree = root instanceof JsonSpot || !isDocument(root) ? undefined : root;
  const page = pageContext(tree, base, { hasBases, brokenCharset });
  return { ok: true, root, page, text, isEmptyList, ...defined({ endsIn }) };
}

function foreign(mediaType: string, { document }: ExtractPlan): ExtractFailure {
  return document === 'html' ? { code: 'not_html', mediaType } : { code: 'wrong_type', mediaType, document };
}
