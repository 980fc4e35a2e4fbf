import type { ProjectSpec } from '../../store/projects.ts';
import { watcherOf } from '../../store/watch-places.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import { type Place, placeKey } from '../../store/tables/targets.ts';
import type { Watcher } from '../../schedule/watchers.ts';

/** A place that a list of projects names, with all of them that do. */
interface ListedPlace extends Place {
  readonly watchers: Watcher[];
}

/** The places as they will be watched once a list of projects is applied. */
export class PlacesAfter {
  readonly #places = new Map<string, ListedPlace>();
  readonly #isReplaced: (project: string) => boolean;

  /** @param isReplaced - whether the list says all of a tracked project: what it watches now does not count. */
  constructor(isReplaced: (project: string) => boolean) {
    this.#isReplaced = isReplaced;
  }

  /** Adds the places of a project of the list. */
  add(spec: ProjectSpec): void {
    for (const target of spec.targets) {
      const key = placeKey(target);
      const place = this.#places.get(key) ?? { source: target.source, url: target.url, watchers: [] };
      place.watchers.push(watcherOf(spec, target));
      this.#places.set(key, place);
    }
  }

  /** The places that the list names, each once. */
  listed(): IterableIterator<ListedPlace> {
    return this.#places.values();
  }

  has(place: Place): boolean {
    return this.#places.size > 0 && this.#places.has(placeKey(place));
  }

  /** The active watchers of a place then; none where it is not watched, or finished and not new to any of them. */
  watchersOf(place: Place, row: TargetRow | undefined): readonly Watcher[] {
    const wanted = (this.#places.size > 0 && this.#places.get(placeKey(place))?.watchers) || [];
    const before = row?.watchers ?? [];
    const isNew = wanted.some(({ project }) => before.every((each) => each.project !== project));
    if (row?.status === 'finished' && !isNew) return [];
    return [...before.filter(({ project, isAway }) => isAway !== true && !this.#isReplaced(project)), ...wanted];
  }
}
