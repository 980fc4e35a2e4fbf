import { customAlphabet } from 'nanoid';
import type { Store } from './store.ts';

/** Makes a generation of event ids: six letters and digits. */
export const newGeneration = customAlphabet('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 6);

/**
 * The numbers of scrapes that a copy leaves out. The life that the copy was taken of may have given numbers since, and results of these may
 * still come, from worker processes for example. Each write of a scrape is fenced by its number, so that such a result belongs to no scrape of the copy;
 * the epochs of targets stay, as no fence goes by an epoch alone. A scrape that the copy has running keeps its number: its steps are the same.
 */
const skippedNumbers = 1_000_000;

/**
 * Begins a generation where the store is a copy: it was last opened in another file. On disk when it resolves.
 *
 * @param file - the identity of the store's file, which a copy does not share.
 */
export async function beginInFile(store: Store, file: string): Promise<void> {
  const { meta, scrapes, write } = store;
  const home = meta.home();
  if (home === file) return;
  if (home !== undefined) {
    await beginGeneration(store);
    await write(() => scrapes.skipNumbers(skippedNumbers), { durable: true, evenWhenFull: true });
  }
  await write(() => meta.setHome(file), { durable: true, evenWhenFull: true });
}

/** Begins a generation of event ids, as a restored backup has to: it goes on with serials that were given to other events. On disk when it resolves. */
export function beginGeneration({ meta, write }: Store, generation = newGeneration()): Promise<void> {
  return write(() => meta.setGeneration(generation), { durable: true, evenWhenFull: true });
}
