import { spend } from '../../work-budget.ts';

/** What stands before each line of a container: a quotation, or an item of a list. */
interface Container {
  /** Before its first line. */
  readonly first: string;
  /** Before every other line, with what the containers around it put there. */
  readonly rest: string;
  isBegun: boolean;
}

/** The deepest nesting of quotations and lists; what is deeper stands at that depth. */
const mostContainers = 100;

/** Blocks one below the other, within quotations and lists. */
export class Blocks {
  readonly #lines: string[] = [];
  readonly #containers: Container[] = [];
  readonly #room: number;
  #units = 0;
  /** What parts the next block from the one before. */
  #parting: 'none' | 'line' | 'blank' = 'none';

  /** @param room - characters that are written at most; what comes then is left out. */
  constructor(room: number) {
    this.#room = room;
  }

  /** The number of lines so far. */
  get length(): number {
    return this.#lines.length;
  }

  get isFull(): boolean {
    return this.#units > this.#room;
  }

  /** The number of containers that are open. */
  get depth(): number {
    return this.#containers.length;
  }

  /** Begins a container. Returns whether it did; one that did is ended by `leave`. */
  enter(first: string, rest: string): boolean {
    if (this.#containers.length >= mostContainers) return false;
    const around = this.#containers.at(-1)?.rest ?? '';
    this.#containers.push({ first, rest: `${around}${rest}`, isBegun: false });
    return true;
  }

  leave(): void {
    this.#containers.pop();
  }

  /** Has the next block follow in the next line, as an item of a list does. */
  follow(): void {
    if (this.#parting !== 'none') this.#parting = 'line';
  }

  /** Writes a block. */
  write(lines: readonly string[]): void {
    if (this.isFull) return;
    if (this.#parting === 'blank') this.#push(this.#begun().trimEnd());
    for (const line of lines) this.#push(line === '' ? this.#prefix().trimEnd() : `${this.#prefix()}${line}`);
    this.#parting = 'blank';
  }

  toString(): string {
    return this.#lines.join('\n');
  }

  #push(line: string): void {
    spend(line.length);
    this.#units += line.length + 1;
    this.#lines.push(line);
  }

  /** What stands before a line of the containers that have one already. */
  #begun(): string {
    const next = this.#containers.findIndex(({ isBegun }) => !isBegun);
    return this.#containers.at(next < 0 ? -1 : next - 1)?.rest.slice(0, next === 0 ? 0 : undefined) ?? '';
  }

  #prefix(): string {
    const next = this.#containers.findIndex(({ isBegun }) => !isBegun);
    if (next < 0) return this.#containers.at(-1)?.rest ?? '';
    let prefix = next === 0 ? '' : (this.#containers[next - 1]?.rest ?? '');
    for (const container of this.#containers.slice(next)) {
      prefix += container.first;
      container.isBegun = true;
    }
    return prefix;
  }
}
