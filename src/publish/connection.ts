/** Keeps one connection to an address, and opens another one when the address has changed or the connection has ended. */
export class Connection<T> {
  #current: { readonly address: string; readonly opening: Promise<T> } | undefined;
  readonly #open: (address: string, onEnd: () => void) => Promise<T>;
  readonly #close: (open: T) => Promise<unknown>;

  /**
   * @param open - opens a connection; calls `onEnd` when it, or a part of it, has ended by itself.
   * @param close - closes a connection, also what is left of one that has ended.
   */
  constructor(open: (address: string, onEnd: () => void) => Promise<T>, close: (open: T) => Promise<unknown>) {
    this.#open = open;
    this.#close = close;
  }

  /** Resolves with the connection to an address. Rejects as `open` does, and opens anew the next time. */
  to(address: string): Promise<T> {
    if (this.#current?.address === address) return this.#current.opening;
    void this.close();
    const { promise: opening, resolve } = Promise.withResolvers<T>();
    const current = { address, opening };
    const onEnd = (): void => {
      if (this.#current === current) void this.close();
    };
    this.#current = current;
    resolve(this.#open(address, onEnd));
    opening.catch(onEnd);
    return opening;
  }

  /** Closes the connection, if there is one. Ignores an error of the other side. */
  async close(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    await current?.opening.then(this.#close).catch(() => undefined);
  }
}
