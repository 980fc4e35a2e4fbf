import * as z from 'zod';
import type { DeathStore } from '../engine/bullmq/deaths.ts';
import type { DaemonState } from './state.ts';

/** The key of the settings that keeps which worker processes were lost with which steps. */
const deathsKey = 'worker-deaths';

const DeathRows = z.array(z.object({ key: z.string(), ids: z.array(z.string()), at: z.number() }));

/** Keeps the deaths of worker processes in the store of the daemon. */
export function deathStore({ store, unlessFull }: Pick<DaemonState, 'store' | 'unlessFull'>): DeathStore {
  return {
    load: () => DeathRows.safeParse(store().settings.get(deathsKey)).data ?? [],
    keep(deaths) {
      void unlessFull(() => {
        const { write, settings } = store();
        return write(() => settings.put(deathsKey, deaths));
      });
    },
  };
}
