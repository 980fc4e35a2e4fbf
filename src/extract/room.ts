/** Counts the pages that extraction threads read or have queued, but for those of slow sources, so that no request is sent for a page that no thread could read soon. */
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

  /** Counts a page in, also where there is no room left: pages that are on their way are never dropped. */
  add(): void {
    this.#pages += 1;
  }

  /** Counts out a page that a thread is done with. */
  remove(): void {
    this.#pages -= 1;
    if (this.#pages === this.#limit - 1) this.#onRoom();
  }

  /** Sets the count to zero when the extraction threads start again, since the pages of the earlier threads are gone. */
  clear(): void {
    const hadRoom = this.hasRoom();
    this.#pages = 0;
    if (!hadRoom) this.#onRoom();
  }
}
