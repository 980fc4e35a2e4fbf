import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import type { BodyHold } from '../body-budget.ts';
import type { FetchFailure } from '../failure.ts';

/** The value of the client's `accept-encoding`. */
export const acceptedEncodings = 'gzip, deflate, br, zstd';

/** The largest window of zstd, 8 MiB by RFC 9659. A decoder would otherwise allocate up to 128 MiB. */
const zstdWindowLog = 23;

/**
 * A stream that decodes a body; `undefined` for an encoding that was not requested.
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

/** Whether a `deflate` body has the header of RFC 1950; much of the web sends the bare stream of RFC 1951 instead. */
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
  /** The decoded length, if the response says so. */
  readonly expectedBytes: number | undefined;
  readonly hold: BodyHold;
  /** Called when `write` may be called again after it returned `false`. */
  onDrain(): void;
  /** Called once, with the body or the failure. */
  onCollected(collected: Collected): void;
}

/** Collects a body into one buffer. A chunk is only taken once the body's share of the budget has room for it. */
export interface BodySink {
  /** Takes a chunk. Returns whether the next one may come at once; otherwise it must wait for `onDrain`. */
  write(chunk: Uint8Array): boolean;
  end(): void;
  /** Drops what was collected. No callback is called afterwards. */
  destroy(): void;
}

/** Opens a sink for a body that begins with `firstByte`; `undefined` for an encoding that was not requested. */
export function openSink(firstByte: number | undefined, options: CollectOptions): BodySink | undefined {
  if (isPlain(options.encoding)) return new PlainSink(options);
  const decoder = openDecoder(options.encoding, firstByte);
  return decoder && decodingSink(decoder, options);
}

function isPlain(encoding: string): boolean {
  return encoding === '' || encoding.trim().toLowerCase() === 'identity';
}

/** A sink for a body without encoding. It needs no stream. */
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
      this.fail({ code: 'too_large', limitBytes: maxBytes });
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

  /** Ends with a failure, unless the sink has ended already. */
  fail(failure: FetchFailure): void {
    if (this.#state !== 'over') this.#finish({ ok: false, failure });
  }

  async #wait(chunk: Uint8Array, capacity: number): Promise<void> {
    const isGranted = await this.#options.hold.raise(capacity);
    if (this.#state === 'over') return;
    if (!isGranted) return this.fail({ code: 'cancelled' });
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

/** A sink for an encoded body: what its decoder gives is collected as a body without encoding is. */
function decodingSink(decoder: Transform, options: CollectOptions): BodySink {
  const decoded = new PlainSink({
    ...options,
    expectedBytes: undefined,
    onDrain: () => decoder.resume(),
    onCollected(collected) {
      decoder.destroy();
      options.onCollected(collected);
    },
  });
  decoder.on('data', (chunk: Uint8Array) => {
    if (!decoded.write(chunk)) decoder.pause();
  });
  decoder.once('end', () => decoded.end());
  decoder.on('error', (error) => decoded.fail(decodingFailure(error, options.encoding)));
  return {
    write(chunk) {
      const isReady = decoder.write(chunk);
      if (!isReady) decoder.once('drain', () => options.onDrain());
      return isReady;
    },
    end: () => void decoder.end(),
    destroy() {
      decoded.destroy();
      decoder.destroy();
    },
  };
}

/**
 * The failure of a decoder. Every decoder reports an early end by the same code, and invalid data by codes of its own.
 */
function decodingFailure(error: unknown, encoding: string): FetchFailure {
  if (error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR') {
    return { code: 'truncated', cause: `the ${encoding} stream ends early` };
  }
  return { code: 'bad_encoding', encoding };
}

const smallestBytes = 16 * 1024;
const firstBytes = 1024 * 1024;

/** A body that is being collected, in an ArrayBuffer of its own that doubles as it fills. */
export class GrowingBody {
  readonly #maxBytes: number;
  #buffer: ArrayBuffer;
  #view: Uint8Array;
  #length = 0;

  /**
   * @param expectedBytes - what the response says, if it does; believed up to 1 MiB, as saying so is free.
   */
  constructor(maxBytes: number, expectedBytes = smallestBytes) {
    this.#maxBytes = maxBytes;
    this.#buffer = new ArrayBuffer(Math.min(expectedBytes, firstBytes, maxBytes));
    this.#view = new Uint8Array(this.#buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** The size of the buffer now. */
  get capacity(): number {
    return this.#buffer.byteLength;
  }

  /** The size of the buffer once `more` bytes are appended. */
  capacityFor(more: number): number {
    const needed = this.#length + more;
    if (needed <= this.capacity) return this.capacity;
    return Math.max(needed, Math.min(this.capacity * 2, this.#maxBytes));
  }

  append(chunk: Uint8Array): void {
    const capacity = this.capacityFor(chunk.byteLength);
    if (capacity > this.capacity) {
      this.#buffer = this.#buffer.transfer(capacity);
      this.#view = new Uint8Array(this.#buffer);
    }
    this.#view.set(chunk, this.#length);
    this.#length += chunk.byteLength;
  }

  /** Returns the buffer, cut to its content. Nothing may be appended afterwards. */
  finish(): ArrayBuffer {
    return this.#length === this.capacity ? this.#buffer : this.#buffer.transfer(this.#length);
  }
}
