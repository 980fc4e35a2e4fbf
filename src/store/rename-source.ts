import type { Store } from './store.ts';

/** A source that gets another id. */
export interface SourceRename {
  readonly from: string;
  readonly to: string;
}

/** Notes on disk that the file of a source is about to get another name, so that a daemon which is killed meanwhile ends the rename at its next start. */
export function noteRename(store: Store, rename: SourceRename | undefined): Promise<unknown> {
  return store.write(
    () => (rename === undefined ? store.renames.remove('source') : store.renames.put('source', rename)),
    { durable: true, evenWhenFull: true },
  );
}

/**
 * Gives a source another id, with all its rows: targets, records, history, schedules, scrapes and costs. Its session and its circuit begin anew.
 * Events that were told keep the id that the source had. On disk when it resolves, and the noted rename is over.
 */
export function renameSource(store: Store, { from, to }: SourceRename): Promise<void> {
  return store.write(
    (change) => {
      store.sources.rename(from, to, store.events.last());
      store.scrapes.rename(from, to);
      store.sessions.remove(from);
      store.circuits.remove(from);
      store.renames.remove('source');
      change.tell({ type: 'source.renamed', source: to, data: { from } });
    },
    { durable: true, evenWhenFull: true },
  );
}

/** Whether the store has anything of a source: targets, which have its records and their history. */
export function hasSource({ targets }: Store, source: string): boolean {
  for (const _ of targets.numbersOfSource(source, { limit: 1 })) return true;
  return false;
}
