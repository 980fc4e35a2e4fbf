import { customAlphabet } from 'nanoid';
import type { Store } from './store.ts';

/** Makes a generation of event ids: six letters and digits. */
export const newGeneration = customAlphabet('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 6);

/**
 * Begins a generation where the store is a copy: it was last opened in another file. On disk when it resolves.
 *
 * @param file - the identity of the store's file, which a copy does not share.
 */
export async function beginInFile(store: Store, file: string): Promise<void> {
  const { meta, write } = store;
  const home = meta.home();
  if (home === file) return;
  if (home !== undefined) await beginGeneration(store);
  await write(() => meta.setHome(file), { durable: true, evenWhenFull: true });
}

/** Begins a generation of event ids, as a restored backup has to: it goes on with serials that were given to other events. On disk when it resolves. */
export function beginGeneration({ meta, write }: Store, generation = newGeneration()): Promise<void> {
  return write(() => meta.setGeneration(generation), { durable: true, evenWhenFull: true });
}
