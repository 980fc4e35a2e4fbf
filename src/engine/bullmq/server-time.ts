/** A measurement by a question that took longer, in ms, says too little. */
const longestQuestionMs = 1_000;

/** The wall time of the queues' server: the one clock that a daemon and its worker processes share. It is measured, and runs on by the monotonic clock. */
export class ServerTime {
  readonly #ask: () => Promise<number>;
  readonly #monotonic: () => number;
  #offset: number | undefined;

  /** @param ask - asks the server for its time, in ms. */
  constructor(ask: () => Promise<number>, monotonic: () => number) {
    this.#ask = ask;
    this.#monotonic = monotonic;
  }

  /** Measures anew. A question that took too long changes nothing, unless it is the first. Rejects as the question does. */
  async measure(): Promise<void> {
    const askedAt = this.#monotonic();
    const time = await this.#ask();
    const answeredAt = this.#monotonic();
    if (this.#offset !== undefined && answeredAt - askedAt > longestQuestionMs) return;
    this.#offset = time - (askedAt + answeredAt) / 2;
  }

  /** The server's time, in ms. Throws before it was measured. */
  now(): number {
    if (this.#offset === undefined) throw new Error('expected the time of the server to be measured first');
    return this.#monotonic() + this.#offset;
  }
}
