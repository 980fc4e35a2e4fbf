/** Keeps one thing that is open to an address, and opens another one when the address has changed or the thing is gone. */
export class Held<T> {
  #held: { readonly address: string; readonly opening: Promise<T> } | undefined;
  readonly #open: (address: string, isGone: () => void) => Promise<T>;
  readonly #close: (open: T) => Promise<unknown>;

  /**
   * @param open - opens the thing; calls `isGone` if it ends by itself.
   * @param close - closes it.
   */
  constructor(open: (address: string, isGone: () => void) => Promise<T>, close: (open: T) => Promise<unknown>) {
    this.#open = open;
    this.#close = close;
  }

  /** Resolves with what is open to the address. Rejects as `open` does, and opens anew the next time. */
  to(address: string): Promise<T> {
    if (this.#held?.address === address) return this.#held.opening;
    void this.drop();
    const { promise: opening, resolve } = Promise.withResolvers<T>();
    const held = { address, opening };
    const forget = (): void => {
      if (this.#held === held) this.#held = undefined;
    };
    this.#held = held;
    resolve(this.#open(address, forget));
    opening.catch(forget);
    return opening;
  }

  /** Closes what is open, if anything is. What it says to that does not matter. */
  async drop(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.opening.then(this.#close).catch(() => undefined);
  }
}
