const newline = 0x0a;

/** A line of a stream, or `tooLong` in place of a line over the limit. */
export type Cut = string | typeof tooLong;

/** Stands for a line over the limit. */
export const tooLong: unique symbol = Symbol('too long');

/** Cuts a stream of bytes into lines, keeping at most one unfinished line within the limit. */
export class Lines {
  readonly #limitBytes: number;
  #unfinished: Buffer[] = [];
  #unfinishedBytes = 0;
  /** Whether the rest of the present line is dropped. */
  #skipping = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /**
   * Yields the lines that end within these bytes, without line feeds and blank lines. The caller takes all of them
   * before the next call.
   */
  *cut(bytes: Buffer): Generator<Cut> {
    let from = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
      if (this.#skipping) this.#skipping = false;
      else if (this.#unfinishedBytes + end - from > this.#limitBytes) yield this.#refuse();
      else {
        const line = this.#finish(bytes, from, end);
        if (line.trim() !== '') yield line;
      }
      from = end + 1;
    }
    if (from === bytes.length || this.#skipping) return;
    if (this.#unfinishedBytes + bytes.length - from > this.#limitBytes) {
      this.#skipping = true;
      yield this.#refuse();
      return;
    }
    this.#unfinished.push(from === 0 ? bytes : bytes.subarray(from));
    this.#unfinishedBytes += bytes.length - from;
  }

  /** Whether a line has begun and not ended. */
  get unfinished(): boolean {
    return this.#unfinishedBytes > 0;
  }

  #finish(bytes: Buffer, from: number, end: number): string {
    if (this.#unfinishedBytes === 0) return bytes.toString('utf8', from, end);
    const line = Buffer.concat([...this.#unfinished, bytes.subarray(from, end)]).toString('utf8');
    this.#forget();
    return line;
  }

  #refuse(): typeof tooLong {
    this.#forget();
    return tooLong;
  }

  #forget(): void {
    this.#unfinished = [];
    this.#unfinishedBytes = 0;
  }
}
