import * as z from 'zod';
import { defined } from '../../defined.ts';
import type { Handlers } from '../methods.ts';
import type { Ports } from './ports.ts';
import { createCursor, newestFirst, sliceOf } from './slices.ts';

const Place = z.strictObject({ changes: z.int().exactOptional(), denied: z.int().exactOptional() });
type Place = z.infer<typeof Place>;

const cursor = createCursor('before', Place);

/** Creates the handler that lists what callers changed and were denied. */
export function auditHandlers({ store }: Pick<Ports, 'store'>): Pick<Handlers, 'audit.list'> {
  return {
    'audit.list': async ({ who, method, since = 0, before, limit }) => {
      // Behind this, all that was noted before the call is written.
      await store().write(() => undefined, { evenWhenFull: true });
      let place: Place = cursor.read(before) ?? {};
      const entries = newestFirst(
        [listOf('changes', place.changes, since), listOf('denied', place.denied, since)],
        ({ row }) => row.at,
      );
      const { found, last } = sliceOf(entries, limit, ({ list, number, row }) => {
        place = { ...place, [list]: number };
        return (
          (who === undefined || row.who === who || row.label === who) && (method === undefined || row.method === method)
        );
      });
      return { entries: found.map(({ row }) => row), ...defined({ next: last && cursor.textOf(place) }) };
    },
  };

  function* listOf(list: keyof Place, before: number | undefined, since: number) {
    for (const { key, row } of store().audit[list]({ before, newestFirst: true })) {
      if (row.at < since) return;
      yield { list, number: key, row };
    }
  }
}
