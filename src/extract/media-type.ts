/** The media type in a `Content-Type`, in lower case and without parameters; empty when there is none. */
function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

const htmlTypes: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
/** What servers say of files that they know nothing about: the content decides. */
const vagueTypes: ReadonlySet<string> = new Set([
  '',
  'text/plain',
  'application/octet-stream',
  'application/unknown',
  'unknown/unknown',
]);

/** Bytes that are looked at to tell text from data. */
const sniffedBytes = 1024;

/**
 * What a body is when it is not an HTML page, else nothing. HTML is what is called so and is not binary; and what goes by
 * no name, or by a vague one, and begins with a tag.
 */
export function foreignMediaType(body: Uint8Array, contentType: string | undefined): string | undefined {
  const mediaType = mediaTypeOf(contentType);
  const head = body.subarray(0, sniffedBytes);
  if (!htmlTypes.has(mediaType) && !vagueTypes.has(mediaType)) return mediaType;
  if (isBinary(head))
    return htmlTypes.has(mediaType) ? `binary content called ${mediaType}` : mediaType || 'binary content';
  return htmlTypes.has(mediaType) || startsWithTag(head) ? undefined : mediaType || 'text without a tag';
}

function isBinary(head: Uint8Array): boolean {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  const isPdf = Buffer.from(head.subarray(0, 5)).toString('latin1') === '%PDF-';
  return isPdf || (!isUtf16 && head.some(isBinaryByte));
}

/** Control characters that no text holds; tab, line feeds and the escape of ISO 2022 are not among them. */
function isBinaryByte(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
}

/** Leaves out zeroes and marks of byte order, so that UTF-16 reads alike. */
function startsWithTag(head: Uint8Array): boolean {
  const text = Buffer.from(head).toString('latin1');
  return /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*</.test(text);
}
