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
    const bytes = Buffer.from(value);
    this.number(bytes.length);
    for (const byte of bytes) this.#byte(byte);
  }

  /** All that was written. */
  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes.subarray(0, this.#length));
  }

  #byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#length)]);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }
}

/** Reads what a `ByteWriter` has written, in the same order. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
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
    return Buffer.from(this.#bytes.subarray(this.#at - length, this.#at)).toString();
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new RangeError('expected more bytes');
    this.#at += 1;
    return byte;
  }
}
