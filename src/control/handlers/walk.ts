import { setImmediate } from 'node:timers/promises';
import type { ProjectRow, TargetRow } from '../../store/rows.ts';
import { inSlices } from '../../store/slices.ts';
import type { Store } from '../../store/store.ts';
import { findProject } from './project.ts';

/** Some milliseconds of work, even where much is looked up for each. */
const atOnce = 100;

/** What a walk over targets is of; all without either. */
interface Wanted {
  readonly source?: string | undefined;
  readonly project?: string | undefined;
}

/** The targets of projects that are not archived, some at a time, with a turn of the event loop between. */
export async function* targetsInSlices(store: Store, wanted: Wanted): AsyncGenerator<readonly TargetRow[]> {
  let piece: TargetRow[] = [];
  for await (const numbers of numbersInSlices(store, wanted)) {
    for (const number of numbers) {
      const row = store.targets.get(number);
      if (row === undefined || (wanted.source !== undefined && row.source !== wanted.source)) continue;
      piece.push(row);
      if (piece.length < atOnce) continue;
      yield piece;
      piece = [];
      await setImmediate();
    }
  }
  if (piece.length > 0) yield piece;
}

async function* numbersInSlices(store: Store, { source, project }: Wanted): AsyncGenerator<readonly number[]> {
  if (project !== undefined) {
    yield numbersOf(findProject(store, project));
  } else if (source === undefined) {
    for await (const projects of inSlices(store.projects.rowsAfter)) for (const row of projects) yield numbersOf(row);
  } else {
    const ofSource = (after: number | undefined, limit: number) =>
      store.targets.numbersOfSource(source, { after, limit });
    for await (const numbers of inSlices<number>(ofSource)) yield numbers.filter(isTracked);
  }

  function isTracked(number: number): boolean {
    const row = store.targets.get(number);
    return row !== undefined && store.projects.get(row.project)?.status === 'active';
  }
}

function numbersOf({ status, targets }: ProjectRow): readonly number[] {
  return status === 'active' ? targets : [];
}
