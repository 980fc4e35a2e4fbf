/** Cuts the lists of an answer to their greatest lengths, and knows which of them were longer. */
export class CutLists<Name extends string> {
  readonly #names = new Set<Name>();

  /** Returns the first rows of a list, up to `most` of them. */
  first<T>(name: Name, rows: Iterable<T>, most: number): readonly T[] {
    const first: T[] = [];
    for (const row of rows) {
      if (first.length === most) {
        this.#names.add(name);
        break;
      }
      first.push(row);
    }
    return first;
  }

  /** The names of the lists that were longer; `undefined` where none was. */
  get names(): readonly Name[] | undefined {
    return this.#names.size > 0 ? [...this.#names] : undefined;
  }
}
