import { inSlices, slicesOf } from './slices.ts';
import type { Store } from './store.ts';
import { isFinished } from './tables/project-status.ts';
import type { ProjectRow } from './tables/rows.ts';

/** Whether a project is to run: it is active, and not finished. */
function isToRun(store: Store, row: ProjectRow): boolean {
  return row.status === 'active' && !isFinished(store, row);
}

/** Rows that are read in one go: a millisecond or two of the event loop. */
const rowsAtOnce = 200;

/** The projects that are to run: the active ones that are not finished. */
export class ActiveProjects {
  /** The state of the counts when all projects were last read, and the number of projects to run then. */
  #read = { moves: -1, projects: 0 };

  /**
   * Yields the ids of the projects to run, slice by slice.
   *
   * @param among - looks at these projects only.
   */
  async *ids(store: Store, among?: ReadonlySet<string>): AsyncGenerator<readonly string[]> {
    if (among !== undefined) {
      for await (const ids of slicesOf([...among], rowsAtOnce))
        yield ids.filter((id) => {
          const row = store.projects.get(id);
          return row !== undefined && isToRun(store, row);
        });
      return;
    }
    const { moves } = store.counts.all();
    let projects = 0;
    for await (const rows of inSlices(store.projects.rowsAfter, rowsAtOnce)) {
      const ids = rows.filter((row) => isToRun(store, row)).map(({ id }) => id);
      projects += ids.length;
      yield ids;
    }
    this.#read = { moves, projects };
  }

  /**
   * Whether there were `count` projects to run when `ids` last read all of them, and the status of none has changed
   * since. To read very many projects takes a good part of a second.
   */
  isStill({ counts }: Store, count: number): boolean {
    return counts.all().moves === this.#read.moves && count === this.#read.projects;
  }
}
