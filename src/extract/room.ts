/** Counts the pages that threads are busy with or wait for, so that no turn is given for a page that nobody could read soon. */
export class ExtractRoom {
  readonly #limit: number;
  readonly #onRoom: () => void;
  #pages = 0;

  /** Room for `limit` pages; `onRoom` is called when there is room again after there was none. */
  constructor(limit: number, onRoom: () => void = () => undefined) {
    this.#limit = limit;
    this.#onRoom = onRoom;
  }

  get pages(): number {
    return this.#pages;
  }

  hasRoom(): boolean {
    return this.#pages < this.#limit;
  }

  /** Takes a page's place, also where there is no room left: pages that are on their way are never dropped. */
  enter(): void {
    this.#pages += 1;
  }

  leave(): void {
    this.#pages -= 1;
    if (this.#pages === this.#limit - 1) this.#onRoom();
  }

  /** Forgets every page, for the life that begins after one which took its pages along. */
  clear(): void {
    const hadRoom = this.hasRoom();
    this.#pages = 0;
    if (!hadRoom) this.#onRoom();
  }
}
