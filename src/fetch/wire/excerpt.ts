import { openDecoder } from './body.ts';
import type { Head } from './head.ts';

/** The largest length of an excerpt, in characters. */
const excerptLength = 2_000;

/** The number of bytes, as sent or as decoded, that are enough for an excerpt. */
export const excerptBytes = 16 * 1024;

/**
 * The beginning of a body as one line of text, for people; empty if there is no text. What cannot be decoded is left
 * out, and a charset that only the content names is ignored. Rejects for errors of ours only.
 *
 * @param chunks - the first bytes as they were sent.
 */
export async function excerptOf(chunks: readonly Buffer[], { headers }: Head): Promise<string> {
  const bytes = Buffer.concat(chunks).subarray(0, excerptBytes);
  const decoded = await firstDecoded(bytes, headers['content-encoding'] ?? '');
  return decoderOf(headers['content-type'] ?? '')
    .decode(decoded)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, excerptLength)
    .toWellFormed();
}

function decoderOf(contentType: string) {
  const label = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label);
  } catch (unknownLabel) {
    if (unknownLabel instanceof RangeError) return new TextDecoder();
    throw unknownLabel;
  }
}

async function firstDecoded(bytes: Buffer, encoding: string): Promise<Buffer> {
  if (encoding === '' || bytes.byteLength === 0) return bytes;
  const decoder = openDecoder(encoding, bytes[0]);
  if (!decoder) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    decoder.end(bytes);
    for await (const chunk of decoder) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length >= excerptBytes) break;
    }
  } catch (error) {
    // The bytes are only a beginning, so that their end is always early; what came before it is all that is wanted.
    if (!(error instanceof Error)) throw error;
  }
  return Buffer.concat(chunks).subarray(0, excerptBytes);
}
