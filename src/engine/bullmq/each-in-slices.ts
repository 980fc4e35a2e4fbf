/** How many are done at a time: a server answers those that are under way together, and what is urgent need not wait behind all. */
const slice = 100;

/** Does something with each of many, a hundred at a time. Rejects with the first failure, once the slice has begun. */
export async function eachInSlices<T>(all: readonly T[], work: (each: T) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < all.length; first += slice) await Promise.all(all.slice(first, first + slice).map(work));
}
