import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Editors write a file in several steps; what comes within this time is one change. */
const settleMs = 50;

/**
 * Calls `changed` once for every change of any of the files, until an interrupt; resolves then. Folders are watched, as editors
 * put new files in the places of old ones; `ready` is called when they are. While a call runs, changes wait for its end.
 */
export async function whileWatching(
  files: readonly string[],
  changed: () => Promise<void>,
  ready: () => void,
): Promise<void> {
  const { promise: interrupted, resolve } = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  let running: Promise<void> | undefined;
  const { promise: failed, reject } = Promise.withResolvers<never>();

  const run = (): void => {
    if (running !== undefined) {
      isDue = true;
      return;
    }
    running = changed().then(
      () => {
        running = undefined;
        if (isDue) {
          isDue = false;
          run();
        }
      },
      (error: unknown) => reject(error),
    );
  };
  const folders = Map.groupBy(files, (file) => dirname(file));
  const watchers = Array.from(folders, ([folder, inside]): FSWatcher => {
    const names = new Set(inside.map((file) => basename(file)));
    return watch(folder, (_event, name) => {
      if (name !== null && !names.has(name)) return;
      clearTimeout(timer);
      timer = setTimeout(run, settleMs);
    });
  });
  const stop = (): void => resolve();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    ready();
    await Promise.race([interrupted, failed]);
    await running;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  }
}
