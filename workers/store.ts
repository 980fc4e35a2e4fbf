import type { Behaviour, Self } from '../src/actor/types.ts';
import { openStore, type Store, type StoreOptions } from '../src/store/store.ts';

/** How the store is opened, made ready, published and released. */
export interface StoreDeps {
  readonly options: StoreOptions;
  /** Called before the store is published; closes scrapes that the last daemon left open. */
  recover(store: Store): Promise<unknown>;
  /** Called before the store closes, when nothing else writes to it any more. */
  closing(store: Store): Promise<void>;
  /** Releases the claim on the data folder at an orderly end. */
  release(store: Store): void;
  /** Called with the open store, and with `undefined` before it closes. */
  published(store: Store | undefined): void;
}

/** The actor receives no messages: readers and writers call the store, which serialises writers by itself. */
export type StoreMessage = never;

/** Owns the life of the LMDB environment: opens first, closes last. Its start fails with what `openStore` or `recover` rejects with. */
export async function store(self: Self<StoreMessage>, deps: StoreDeps): Promise<Behaviour<StoreMessage>> {
  self.trapExit();
  const opened = await openStore(deps.options);
  try {
    await deps.recover(opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
  deps.published(opened);
  return {
    receive: (message) => message satisfies never,
    async stop() {
      deps.published(undefined);
      await deps.closing(opened);
      deps.release(opened);
      await opened.close();
    },
  };
}
