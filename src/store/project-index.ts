import { inSlices } from './slices.ts';
import type { Store } from './store.ts';
import type { ProjectRow } from './tables/rows.ts';

/** What is looked for of a project. */
export interface IndexedProject {
  readonly id: string;
  /** Its id, name, labels and addresses, folded, one a line. */
  readonly text: string;
  readonly labels: readonly string[];
  readonly sources: readonly string[];
  readonly isArchived: boolean;
}

interface IndexStore extends Pick<Store, 'onEvents'> {
  readonly projects: Pick<Store['projects'], 'get' | 'rowsAfter'>;
  readonly targets: Pick<Store['targets'], 'get'>;
}

/** Projects that are read in one go: some milliseconds, with their targets. */
const rowsAtOnce = 100;

/** Returns a text as it is compared: without case and accents. */
export function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** Texts, labels and sources of all projects in memory, about 300 bytes each. It is read when it is first asked for, and then follows the events of projects. */
export class ProjectIndex {
  readonly #store: IndexStore;
  #known: Promise<Map<string, IndexedProject>> | undefined;
  /** The known ones in the order of their ids; missing while one has changed since. */
  #sorted: { readonly of: ReadonlyMap<string, IndexedProject>; readonly list: readonly IndexedProject[] } | undefined;
  readonly #changed = new Set<string>();

  constructor(store: IndexStore) {
    this.#store = store;
    store.onEvents((_last, told) => {
      for (const { type, projects = [] } of told) {
        if (type === 'source.renamed') this.#known = undefined;
        else if (type.startsWith('project.')) for (const id of projects) this.#changed.add(id);
      }
    });
  }

  /** Resolves with all projects, in the order of their ids. */
  async all(): Promise<readonly IndexedProject[]> {
    for (;;) {
      const reading = (this.#known ??= this.#read());
      try {
        const known = await reading;
        // Changes are applied to the newest map alone: the one of an earlier read is dropped, and would take them along.
        if (reading === this.#known) return this.#upToDate(known);
      } catch (error) {
        if (reading !== this.#known) continue;
        this.#known = undefined;
        throw error;
      }
    }
  }

  #upToDate(known: Map<string, IndexedProject>): readonly IndexedProject[] {
    for (const id of this.#changed) {
      const row = this.#store.projects.get(id);
      if (row === undefined) known.delete(id);
      else known.set(id, this.#entryOf(row));
      this.#sorted = undefined;
    }
    this.#changed.clear();
    if (this.#sorted?.of !== known)
      this.#sorted = { of: known, list: [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1)) };
    return this.#sorted.list;
  }

  async #read(): Promise<Map<string, IndexedProject>> {
    const read = new Map<string, IndexedProject>();
    for await (const rows of inSlices(this.#store.projects.rowsAfter, rowsAtOnce))
      for (const row of rows) read.set(row.id, this.#entryOf(row));
    return read;
  }

  #entryOf({ id, name, labels, status, targets: numbers }: ProjectRow): IndexedProject {
    const targets = numbers.flatMap((number) => this.#store.targets.get(number) ?? []);
    return {
      id,
      text: folded([id, name, ...labels, ...targets.map(({ url }) => url)].join('\n')),
      labels,
      sources: [...new Set(targets.map(({ source }) => source))],
      isArchived: status === 'archived',
    };
  }
}

const indexes = new WeakMap<object, ProjectIndex>();

/** Returns the index of the projects of an open store. */
export function projectIndexOf(store: IndexStore): ProjectIndex {
  const index = indexes.get(store) ?? new ProjectIndex(store);
  indexes.set(store, index);
  return index;
}
