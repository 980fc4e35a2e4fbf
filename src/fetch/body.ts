import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import type { BodyHold } from './body-budget.ts';
import type { FetchFailure } from './failure.ts';
import { GrowingBody } from './growing-body.ts';

/** What the client says it can read. */
export const acceptedEncodings = 'gzip, deflate, br, zstd';

/** The window of 8 MiB that RFC 9659 allows to this encoding; by itself a decoder would take 128 MiB if told to. */
const zstdWindowLog = 23;

/**
 * A stream from the bytes as sent to the bytes as meant, or `undefined` for an encoding that nobody asked for.
 *
 * @param encoding - one coding, not a list of several.
 * @param firstByte - the body's, which tells the two things that are called `deflate` apart.
 */
export function openDecoder(encoding: string, firstByte: number | undefined): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return isZlibHeader(firstByte) ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } });
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
  /** The response's `content-encoding`; empty when it has none. */
  readonly encoding: string;
  readonly maxBytes: number;
  /** The decoded length, where the response tells it. */
  readonly expectedBytes: number | undefined;
  readonly hold: BodyHold;
  /** Called when bytes are wanted again after `write` refused more. */
  onDrain(): void;
  /** Called once, with the end of the body or what went wrong. */
  onCollected(collected: Collected): void;
}

/** Collects a body into one buffer, never taking a chunk that the hold has no room for. */
export interface BodySink {
  /** Whether more may come at once; otherwise only after `onDrain`. */
  write(chunk: Uint8Array): boolean;
  end(): void;
  /** Lets go of what it has; nothing is told any more. */
  destroy(): void;
}

/** A sink for a body that begins with `firstByte`, or `undefined` for an encoding that nobody asked for. */
export function openSink(firstByte: number | undefined, options: CollectOptions): BodySink | undefined {
  if (isPlain(options.encoding)) return new PlainSink(options);
  const decoder = openDecoder(options.encoding, firstByte);
  return decoder && decodingSink(decoder, options);
}

function isPlain(encoding: string): boolean {
  return encoding === '' || encoding.trim().toLowerCase() === 'identity';
}

/** A body that needs no decoding, taken without a stream. */
class PlainSink implements BodySink {
  readonly #options: CollectOptions;
  readonly #growing: GrowingBody;
  #state: 'open' | 'waiting' | 'ended while waiting' | 'over' = 'open';

  constructor(options: CollectOptions) {
    this.#options = options;
    this.#growing = new GrowingBody(options.maxBytes, options.expectedBytes);
  }

  write(chunk: Uint8Array): boolean {
    if (this.#state === 'over') return true;
    const { maxBytes, hold } = this.#options;
    if (this.#growing.length + chunk.byteLength > maxBytes) {
      this.#finish({ ok: false, failure: { code: 'too_large', limitBytes: maxBytes } });
      return true;
    }
    const capacity = this.#growing.capacityFor(chunk.byteLength);
    if (capacity > hold.bytes && !hold.take(capacity)) {
      this.#state = 'waiting';
      void this.#wait(chunk, capacity);
      return false;
    }
    this.#growing.append(chunk);
    return true;
  }

  end(): void {
    if (this.#state === 'waiting') this.#state = 'ended while waiting';
    else if (this.#state === 'open') this.#complete();
  }

  destroy(): void {
    this.#state = 'over';
  }

  async #wait(chunk: Uint8Array, capacity: number): Promise<void> {
    const isGranted = await this.#options.hold.raise(capacity);
    if (this.#state === 'over') return;
    if (!isGranted) return this.#finish({ ok: false, failure: { code: 'cancelled' } });
    this.#growing.append(chunk);
    if (this.#state === 'ended while waiting') return this.#complete();
    this.#state = 'open';
    this.#options.onDrain();
  }

  #complete(): void {
    const body = this.#growing.finish();
    this.#options.hold.lower(body.byteLength);
    this.#finish({ ok: true, body });
  }

  #finish(collected: Collected): void {
    this.#state = 'over';
    this.#options.onCollected(collected);
  }
}

function decodingSink(decoder: Transform, options: CollectOptions): BodySink {
  void collect(decoder, options).then((collected) => options.onCollected(collected));
  return {
    write(chunk) {
      const isReady = decoder.write(chunk);
      if (!isReady) decoder.once('drain', () => options.onDrain());
      return isReady;
    },
    end: () => void decoder.end(),
    destroy: () => void decoder.destroy(),
  };
}

async function collect(
  chunks: AsyncIterable<Uint8Array>,
  { encoding, maxBytes, hold }: CollectOptions,
): Promise<Collected> {
  const growing = new GrowingBody(maxBytes);
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
