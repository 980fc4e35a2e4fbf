import type { Environment } from '../lmdb/environment.ts';
import { table } from '../lmdb/table.ts';

/** A saved view: a search of projects under a name. */
export interface SavedView {
  readonly name: string;
  readonly query: string;
}

/** The last event up to which the changes of a project were viewed. */
export interface Viewing {
  readonly project: string;
  readonly upTo: number;
}

type Key = [viewer: string, kind: 'project' | 'view', name: string];

/** What each viewer has saved and viewed: the query of a view, by its name, and the last event viewed, by the project. */
export function viewerTable(environment: Environment) {
  const rows = table<Key, string | number>(environment, 'viewers');

  return {
    /** The saved views of a viewer, by name. */
    *views(viewer: string): Generator<SavedView> {
      for (const { key, row } of rows.entries(rangeOf(viewer, 'view')))
        if (typeof row === 'string') yield { name: key[2], query: row };
    },
    hasView: (viewer: string, name: string) => rows.has([viewer, 'view', name]),
    putView: (viewer: string, { name, query }: SavedView) => rows.put([viewer, 'view', name], query),
    /** Returns whether there was such a view. */
    removeView: (viewer: string, name: string) => rows.remove([viewer, 'view', name]),
    /** The last event up to which a viewer has viewed the changes of a project; 0 where it has viewed none. */
    viewedUpTo: (viewer: string, project: string) => Number(rows.get([viewer, 'project', project]) ?? 0),
    putViewing: (viewer: string, { project, upTo }: Viewing) => rows.put([viewer, 'project', project], upTo),
    removeViewing: (viewer: string, project: string) => rows.remove([viewer, 'project', project]),
    /** Up to `limit` viewings of a viewer behind the last one of the slice before, by project. */
    *viewings(viewer: string, last: Viewing | undefined, limit: number): Generator<Viewing> {
      const { from, before } = rangeOf(viewer, 'project');
      const range = last === undefined ? { from } : { after: keyOf(viewer, last.project) };
      for (const { key, row } of rows.entries({ ...range, before, limit }))
        yield { project: key[2], upTo: Number(row) };
    },
    /** Removes up to `limit` rows of a viewer. Returns their number. */
    remove: (viewer: string, limit: number) =>
      rows.removeRange({ from: rangeOf(viewer, 'project').from, before: rangeOf(viewer, 'view').before, limit }),
  };
}

function keyOf(viewer: string, project: string): Key {
  return [viewer, 'project', project];
}

/** The rows of one kind of a viewer. Names are never empty. */
function rangeOf(viewer: string, kind: Key[1]): { readonly from: Key; readonly before: Key } {
  return { from: [viewer, kind, ''], before: [viewer, kind, '\u{10FFFF}'] };
}
