/** The largest number of names that are kept. All are dropped before one more. */
const maxKept = 1_000;
/** Longest name that is kept, in characters: a longer piece of a text would keep all of the text. */
const maxKeptLength = 12;

/** Makes something of a name as it is written. What it made of a name is kept, since pages have few that differ. */
export function kept<T>(make: (written: string) => T): (written: string) => T {
  const known = new Map<string, T>();
  return (written) => {
    const found = known.get(written);
    if (found !== undefined) return found;
    const made = make(written);
    if (written.length > maxKeptLength) return made;
    if (known.size >= maxKept) known.clear();
    known.set(written, made);
    return made;
  };
}
