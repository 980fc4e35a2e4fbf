/** So many at a time, the others in order of arrival. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with what gives the slot back, to be called once; or with nothing when the signal comes first. */
  take(signal: AbortSignal): Promise<(() => void) | undefined> {
    const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
    const leave = (): void => {
      this.#waiting.delete(enter);
      resolve(undefined);
    };
    const enter = (): void => {
      this.#waiting.delete(enter);
      signal.removeEventListener('abort', leave);
      this.#free -= 1;
      resolve(() => this.#giveBack());
    };
    if (signal.aborted) leave();
    else if (this.#free > 0) enter();
    else {
      this.#waiting.add(enter);
      signal.addEventListener('abort', leave, { once: true });
    }
    return promise;
  }

  #giveBack(): void {
    this.#free += 1;
    const [next] = this.#waiting;
    next?.();
  }
}
