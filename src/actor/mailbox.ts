import type { Behaviour } from './types.ts';

/** Slots of a mailbox at its beginning; a mailbox that grew beyond `keptSlots` is not reused. */
const firstSlots = 8;
const keptSlots = 64;

/** A queue in a ring of slots: constant cost at both ends however long it is, and no allocation while it is short. */
export class Mailbox<M> {
  #slots: (M | undefined)[] = Array.from({ length: firstSlots });
  #head = 0;
  #size = 0;
  /** Messages that precede all others. */
  #first: Mailbox<M> | undefined = undefined;
  /** While the mailbox is flooded, the size at which it no longer is; -1 otherwise. */
  #ebb = -1;

  get size(): number {
    return this.#size + (this.#first?.size ?? 0);
  }

  /** Whether the mailbox never grew much, so that it is worth keeping for reuse when it is empty. */
  get isSmall(): boolean {
    return this.#slots.length <= keptSlots;
  }

  push(message: M): void {
    if (this.#size === this.#slots.length) this.#grow();
    this.#slots[(this.#head + this.#size) & (this.#slots.length - 1)] = message;
    this.#size += 1;
  }

  /** Whether more than `threshold` messages wait. Returns `true` once, and again only after the size fell to half of `threshold`. */
  isFlooding(threshold: number): boolean {
    if (this.#size <= threshold || this.#ebb >= 0) return false;
    this.#ebb = threshold / 2;
    return true;
  }

  /** Puts a message before all others, but behind those that `pushFirst` put there earlier. */
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

  /** Returns the oldest message that was put by `push`, and keeps it. */
  peek(): M | undefined {
    return this.#slots[this.#head];
  }

  /** Removes a message that was put by `push`, at a cost linear in the size. Does nothing if it is not there. */
  remove(message: M): void {
    const mask = this.#slots.length - 1;
    let at = 0;
    while (at < this.#size && this.#slots[(this.#head + at) & mask] !== message) at += 1;
    if (at === this.#size) return;
    for (; at < this.#size - 1; at += 1) {
      this.#slots[(this.#head + at) & mask] = this.#slots[(this.#head + at + 1) & mask];
    }
    this.#size -= 1;
    this.#slots[(this.#head + this.#size) & mask] = undefined;
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

/** A message of the kernel to a life, run in the life's turn: an exit signal, the end of a monitored life, the outcome of a task, a stop. */
export class SystemMessage {
  readonly run: (behaviour: Behaviour<unknown>) => void | Promise<void>;

  constructor(run: SystemMessage['run']) {
    this.run = run;
  }
}
