const smallestBytes = 16 * 1024;
const firstBytes = 1024 * 1024;

/** A body under way, in one ArrayBuffer of its own that doubles as it fills. */
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

  /** The memory it takes now. */
  get capacity(): number {
    return this.#buffer.byteLength;
  }

  /** The memory it will take once `more` bytes are appended. */
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

  /** Hands the buffer over, cut to what was appended; nothing may be appended afterwards. */
  finish(): ArrayBuffer {
    return this.#length === this.capacity ? this.#buffer : this.#buffer.transfer(this.#length);
  }
}
