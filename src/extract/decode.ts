import { isUtf8 } from 'node:buffer';
import { decodeBuffer, getEncoding } from 'encoding-sniffer';
import { defined } from '../defined.ts';

const utf8 = new TextDecoder('utf-8');

/**
 * Decodes a body. Its charset is what a byte order mark says, else the `Content-Type`, else a `<meta>` among the first
 * 1,024 bytes; without any of these it is UTF-8 where the bytes are valid UTF-8, else Windows-1252.
 */
export function decodeBody(body: Uint8Array, contentType: string | undefined): string {
  const named = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1];
  // Known to the sniffer, not to the decoder; a `<meta>` that says so means Windows-1252 as well.
  const label = named?.toLowerCase() === 'x-user-defined' ? 'windows-1252' : named;
  // What nearly all pages say; only a mark of UTF-16 would mean more than that.
  if (label !== undefined && /^utf-?8$/i.test(label) && !hasUtf16Mark(body)) return utf8.decode(body);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const options = {
    defaultEncoding: isUtf8(body) ? 'utf-8' : 'windows-1252',
    ...defined({ transportLayerEncodingLabel: label }),
  };
  return getEncoding(bytes, options).toLowerCase() === 'utf-8' ? utf8.decode(body) : decodeBuffer(bytes, options);
}

function hasUtf16Mark([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
