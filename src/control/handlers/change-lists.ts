import { type ChangeSlice, newestChanges, type WantedChanges } from '../../store/newest-changes.ts';
import type { Store } from '../../store/store.ts';
import type { HistoryPlace } from '../../store/tables/history-packing.ts';

/** The number of changes that one search finds when a list is continued. */
const changesAhead = 10_000;

type Place = HistoryPlace & { readonly record: number };

/**
 * Creates a reader of lists of changes, slice by slice. A search reads every record of the targets, so when a list is continued it finds
 * several slices at once and remembers the places of their changes. Only the list that was continued last is remembered.
 */
export function changeLists(store: () => Store) {
  let ahead: { readonly list: string; readonly places: readonly Place[] } | undefined;

  return async (
    targets: readonly number[],
    wanted: WantedChanges,
    place: HistoryPlace | undefined,
  ): Promise<ChangeSlice> => {
    if (place === undefined) return newestChanges(store(), targets, wanted);
    const { limit, before: _before, ...of } = wanted;
    const list = JSON.stringify([targets, of]);
    const remembered = ahead?.list === list ? ahead.places : [];
    const from = remembered.findIndex(({ at, serial }) => at === place.at && serial === place.serial) + 1;
    // The last place is never told from memory: only a search knows whether more follow.
    if (from > 0 && remembered.length - from > limit) return read(remembered.slice(from, from + limit));
    const found = await newestChanges(store(), targets, {
      ...wanted,
      before: place,
      limit: Math.max(limit, changesAhead),
    });
    ahead = { list, places: found.changes.map(({ record, at, serial }) => ({ record, at, serial })) };
    if (found.changes.length <= limit) return found;
    const changes = found.changes.slice(0, limit);
    return { changes, ...nextOf(changes) };
  };

  /** Reads the changes at some places, without those that were removed meanwhile. */
  function read(places: readonly Place[]): ChangeSlice {
    const changes = places.flatMap(({ record, at, serial }) => store().history.get(record, at, serial) ?? []);
    return { changes, ...nextOf(places) };
  }
}

function nextOf(places: readonly HistoryPlace[]): Pick<ChangeSlice, 'next'> {
  const last = places.at(-1);
  return last === undefined ? {} : { next: last };
}
