import type { Transform } from 'node:stream';
import { PassThrough } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';
import type { BodyHold } from './body-budget.ts';
import type { FetchFailure } from './failure.ts';
import { GrowingBody } from './growing-body.ts';

/** What the client says it can read. */
export const acceptedEncodings = 'gzip, deflate, br, zstd';

/**
 * A stream from the bytes as sent to the bytes as meant, or `undefined` for an encoding that nobody asked for.
 *
 * @param encoding - the response's `content-encoding`; empty when it has none. One coding, not a list of several.
 * @param firstByte - the body's, which tells the two things that are called `deflate` apart.
 */
export function openDecoder(encoding: string, firstByte: number | undefined): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return new PassThrough();
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return isZlibHeader(firstByte) ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    default:
      return undefined;
  }
}

/** RFC 1950 opens with the compression method, 8; much of the web sends the bare RFC 1951 stream instead. */
function isZlibHeader(firstByte: number | undefined): boolean {
  return firstByte !== undefined && firstByte % 16 === 8;
}

/** A body read to its end, or why it could not be. */
export type Collected =
  | { readonly ok: true; readonly body: ArrayBuffer }
  | { readonly ok: false; readonly failure: FetchFailure };

/** How a body is collected. */
export interface CollectOptions {
  readonly encoding: string;
  readonly maxBytes: number;
  /** The decoded length, where the response tells it. */
  readonly expectedBytes: number | undefined;
  readonly hold: BodyHold;
}

/** Reads decoded bytes into one buffer, never taking a chunk that the hold has no room for. */
export async function collectBody(
  chunks: AsyncIterable<Uint8Array>,
  { encoding, maxBytes, expectedBytes, hold }: CollectOptions,
): Promise<Collected> {
  const growing = new GrowingBody(maxBytes, expectedBytes);
  try {
    for await (const chunk of chunks) {
      if (growing.length + chunk.byteLength > maxBytes) return failed({ code: 'too_large', limitBytes: maxBytes });
      const capacity = growing.capacityFor(chunk.byteLength);
      if (capacity > hold.bytes && !(await hold.raise(capacity))) return failed({ code: 'cancelled' });
      growing.append(chunk);
    }
  } catch (error) {
    return failed(decodingFailure(error, encoding));
  }
  const body = growing.finish();
  hold.lower(body.byteLength);
  return { ok: true, body };
}

function failed(failure: FetchFailure): Collected {
  return { ok: false, failure };
}

/** Every zlib speaks of an early end by the same code, and of nonsense by a code of its own. */
function decodingFailure(error: unknown, encoding: string): FetchFailure {
  if (error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR') {
    return { code: 'truncated', cause: `the ${encoding} stream ends early` };
  }
  return { code: 'bad_encoding', encoding };
}
