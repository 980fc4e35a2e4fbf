import { setImmediate } from 'node:timers/promises';
import { inSlices, slicesOf, writeInSlices } from './slices.ts';
import type { Store } from './store.ts';

/** The viewer for all who come by the control socket or by a one-time code, which the socket gives: they are the owner of the daemon. No token has this id. */
export const owner = 'local';

/** The most views that a viewer may save. */
export const mostViews = 50;

/** Rows that are written in one transaction. */
const atOnce = 250;

type ViewerStore = Pick<Store, 'viewers' | 'write' | 'events'>;

/** Whether a viewer has not viewed the newest change of a project, by the event that tells it. Changes that the event log keeps no more count as viewed. */
export function isUnviewed(
  { viewers }: Pick<Store, 'viewers'>,
  viewer: string,
  {
    project,
    changed = 0,
    first,
  }: { readonly project: string; readonly changed?: number | undefined; readonly first: number },
): boolean {
  return changed >= first && changed > viewers.viewedUpTo(viewer, project);
}

/** Notes that a viewer has viewed the changes of projects up to an event. A later note is not taken back. */
export async function noteViewed(
  { viewers, write }: ViewerStore,
  viewer: string,
  projects: readonly string[],
  upTo: number,
): Promise<void> {
  for await (const slice of slicesOf(projects, atOnce))
    await write(() => {
      for (const project of slice)
        if (upTo > viewers.viewedUpTo(viewer, project)) viewers.putViewing(viewer, { project, upTo });
    });
}

/** Removes what a viewer has viewed before the first event that is kept, which says nothing any more. */
export async function forgetOldViewings({ viewers, write }: ViewerStore, viewer: string, first: number): Promise<void> {
  const slices = inSlices(
    (last: Parameters<typeof viewers.viewings>[1], limit) => viewers.viewings(viewer, last, limit),
    atOnce,
  );
  for await (const slice of slices) {
    const old = slice.filter(({ upTo }) => upTo < first);
    if (old.length > 0) await write(() => old.forEach(({ project }) => viewers.removeViewing(viewer, project)));
    await setImmediate();
  }
}

/** Removes all that a viewer has saved and viewed. */
export async function forgetViewer(store: ViewerStore, viewer: string): Promise<void> {
  await writeInSlices(store, atOnce, () => store.viewers.remove(viewer, atOnce));
}
