/** Writes numbers and texts as bytes. Small numbers take one byte. */
export class ByteWriter {
  #bytes = Buffer.alloc(1_024);
  #length = 0;

  /** A whole number from 0 on, in seven bits a byte. */
  number(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.#byte((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.#byte(rest);
  }

  /** A whole number in so many bytes, the lowest first. */
  fixed(value: number, bytes: number): void {
    let rest = value;
    for (let at = 0; at < bytes; at += 1) {
      this.#byte(rest % 256);
      rest = Math.floor(rest / 256);
    }
  }

  text(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.number(bytes);
    this.#length += this.#roomFor(bytes).write(value, this.#length);
  }

  /** All that was written. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.#length));
  }

  #byte(value: number): void {
    this.#roomFor(1)[this.#length] = value;
    this.#length += 1;
  }

  #roomFor(more: number): Buffer {
    if (this.#length + more > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * this.#length + more);
    return this.#bytes;
  }
}

/** Reads what a `ByteWriter` has written, in the same order. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor({ buffer, byteOffset, length }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, length);
  }

  number(): number {
    let [value, factor] = [0, 1];
    for (let byte = this.#byte(); ; byte = this.#byte()) {
      value += (byte % 128) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }

  fixed(bytes: number): number {
    let [value, factor] = [0, 1];
    for (let at = 0; at < bytes; at += 1) {
      value += this.#byte() * factor;
      factor *= 256;
    }
    return value;
  }

  text(): string {
    const length = this.number();
    this.#at += length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new RangeError('expected more bytes');
    this.#at += 1;
    return byte;
  }
}
