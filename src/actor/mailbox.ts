/** Slots of a mailbox at its beginning; one that grew beyond `keptSlots` is left to the garbage collector. */
const firstSlots = 8;
const keptSlots = 64;

/** A queue in a ring of slots: constant cost at both ends however long it is, and no allocation while it is short. */
export class Mailbox<M> {
  #slots: (M | undefined)[] = Array.from({ length: firstSlots });
  #head = 0;
  #size = 0;
  /** Messages that go before all others. */
  #first: Mailbox<M> | undefined = undefined;
  /** Once it is flooded, the size at which it is no more; -1 while it is not. */
  #ebb = -1;

  get size(): number {
    return this.#size + (this.#first?.size ?? 0);
  }

  /** Whether it never grew much, and so is worth keeping when it is empty. */
  get isSmall(): boolean {
    return this.#slots.length <= keptSlots;
  }

  push(message: M): void {
    if (this.#size === this.#slots.length) this.#grow();
    this.#slots[(this.#head + this.#size) & (this.#slots.length - 1)] = message;
    this.#size += 1;
  }

  /** Whether more messages wait than `threshold`; says so once, and again only after no more than half of it waited. */
  isFlooding(threshold: number): boolean {
    if (this.#size <= threshold || this.#ebb >= 0) return false;
    this.#ebb = threshold / 2;
    return true;
  }

  /** Puts a message before all others but those that were put so already. */
  pushFirst(message: M): void {
    this.#first ??= new Mailbox();
    this.#first.push(message);
  }

  /** Removes and returns the first message; `undefined` when there is none. */
  shift(): M | undefined {
    if (this.#first !== undefined) return this.#shiftFirst(this.#first);
    if (this.#size === 0) return undefined;
    const message = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#size -= 1;
    if (this.#size <= this.#ebb) this.#ebb = -1;
    return message;
  }

  /** The oldest message, which stays. */
  peek(): M | undefined {
    return this.#slots[this.#head];
  }

  #shiftFirst(first: Mailbox<M>): M | undefined {
    const message = first.shift();
    if (first.size === 0) this.#first = undefined;
    return message;
  }

  #grow(): void {
    const ordered = [...this.#slots.slice(this.#head), ...this.#slots.slice(0, this.#head)];
    ordered.length = this.#slots.length * 2;
    this.#slots = ordered.fill(undefined, this.#size);
    this.#head = 0;
  }
}
