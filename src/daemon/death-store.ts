import * as z from 'zod';
import type { Death, DeathStore } from '../engine/bullmq/deaths.ts';
import type { DaemonState } from './state.ts';

/** The key of the settings that keeps which worker processes were lost with which steps. */
const deathsKey = 'worker-deaths';

const DeathRows = z.array(z.object({ key: z.string(), ids: z.array(z.string()), at: z.number() }));

/** Keeps the deaths of worker processes in the store of the daemon. Those that change while they are about to be written are written together. */
export function deathStore({ store, unlessFull }: Pick<DaemonState, 'store' | 'unlessFull'>): DeathStore {
  /** What is about to be written. */
  let next: { deaths: readonly Death[] } | undefined;
  return {
    load: () => DeathRows.safeParse(store().settings.get(deathsKey)).data ?? [],
    keep(deaths) {
      if (next !== undefined) {
        next.deaths = deaths;
        return;
      }
      const rows = { deaths };
      next = rows;
      const over = (): void => {
        if (next === rows) next = undefined;
      };
      void unlessFull(() => {
        const { write, settings } = store();
        return write(() => {
          over();
          return settings.put(deathsKey, rows.deaths);
        });
      }).finally(over);
    },
  };
}
