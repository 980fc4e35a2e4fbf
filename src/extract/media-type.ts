import type { DocumentKind } from './plan.ts';

/** The media type in a `Content-Type`, in lower case and without parameters; empty when there is none. */
function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** What servers say of files that they know nothing about: the content decides. */
const vagueTypes: ReadonlySet<string> = new Set([
  '',
  'text/plain',
  'application/octet-stream',
  'application/unknown',
  'unknown/unknown',
]);

interface Kind {
  /** What the media types of such documents look like. */
  readonly called: RegExp;
  /** Media types that servers give by mistake: the content decides. */
  readonly miscalled: RegExp;
  /** How a document begins that has no name of its own. */
  readonly begins: RegExp;
  /** What such a document never begins with, whatever it is called. */
  readonly neverBegins?: RegExp;
  /** What is missing where nothing else can be said. */
  readonly otherwise: string;
}

const never = /^\b$/;
const htmlBegins = /^<(?:!doctype\s+html|html[\s>])/i;

const kinds: Readonly<Record<DocumentKind, Kind>> = {
  html: {
    called: /^(?:text\/html|application\/xhtml\+xml)$/,
    miscalled: never,
    begins: /^</,
    otherwise: 'text without a tag',
  },
  xml: {
    called: /^(?:(?:application|text)\/xml|[^/]+\/[^/]+\+xml)$/,
    miscalled: /^(?:text\/html|application\/(?:rss|atom|rdf))$/,
    begins: /^<(?!!doctype\s+html|html[\s>]|head[\s>]|body[\s>])/i,
    neverBegins: htmlBegins,
    otherwise: 'text without a tag',
  },
  json: {
    called: /^(?:(?:application|text)\/(?:x-)?json|[^/]+\/[^/]+\+json)$/,
    miscalled: /^(?:text\/html|(?:text|application)\/(?:x-)?javascript)$/,
    begins: /^[[{"\d-]|^(?:true|false|null)\b/,
    neverBegins: htmlBegins,
    otherwise: 'text that is no JSON',
  },
  csv: {
    called:
      /^(?:(?:text|application)\/(?:x-)?(?:csv|comma-separated-values)|text\/tab-separated-values|application\/vnd\.ms-excel)$/,
    miscalled: never,
    begins: /^[^<{]/,
    neverBegins: htmlBegins,
    otherwise: 'text that is no table',
  },
};

/** Bytes that are looked at to tell text from data. */
const sniffedBytes = 1024;

/**
 * What a body is when it is not a document of the kind expected, else nothing. A document is what is called so, is not binary
 * and does not begin as an HTML page where none is wanted; and what goes by no name, or by a vague or usual wrong one, and
 * begins as such documents do.
 */
export function foreignMediaType(
  body: Uint8Array,
  contentType: string | undefined,
  document: DocumentKind = 'html',
): string | undefined {
  const kind = kinds[document];
  const mediaType = mediaTypeOf(contentType);
  const head = body.subarray(0, sniffedBytes);
  const isCalled = kind.called.test(mediaType);
  if (!isCalled && !vagueTypes.has(mediaType) && !kind.miscalled.test(mediaType)) return mediaType;
  if (isBinary(head)) return isCalled ? `binary content called ${mediaType}` : mediaType || 'binary content';
  const beginning = beginningOf(head);
  if (kind.neverBegins?.test(beginning) === true)
    return isCalled ? `an HTML page called ${mediaType}` : mediaType || 'text/html';
  return isCalled || kind.begins.test(beginning) ? undefined : mediaType || kind.otherwise;
}

function isBinary(head: Uint8Array): boolean {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  const text = latin1Of(head);
  return text.startsWith('%PDF-') || (!isUtf16 && binary.test(text));
}

/** A pattern looks through a page's beginning many times as fast as a loop over its bytes. */
const binary = new RegExp(
  `[${Array.from({ length: 0x20 }, (_, byte) => (isBinaryByte(byte) ? escapeOf(byte) : '')).join('')}]`,
);

function escapeOf(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** Control characters that no text holds; tab, line feeds and the escape of ISO 2022 are not among them. */
function isBinaryByte(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
}

/** Leaves out zeroes, marks of byte order and space, so that UTF-16 reads alike. */
function beginningOf(head: Uint8Array): string {
  return latin1Of(head)
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trimStart();
}

/** One character for each byte. */
function latin1Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
