import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { TryView } from '../../control/methods/source.ts';
import { globalOptions } from '../cli.ts';
import { showProblems } from '../problems.ts';
import { showTrial } from '../show-trial.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../../view/text.ts';
import { loadDefinition, pluginsFolder, sourcesFolder, validDefinition } from './definitions.ts';
import { differenceLine, differencesOf } from './differences.ts';
import { addressOf, fetchPage, type HeldPage, readPageFile } from './page.ts';
import { readHeldPage } from './read-page.ts';

/** The options of `try`. */
export interface TryOptions {
  readonly param?: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly kept?: string;
  readonly sources?: string;
  readonly items: number;
  readonly trees?: boolean;
  readonly watch?: boolean;
}

/** The page that `try` reads: one that the daemon fetches, or a file in its place. */
export interface Tried {
  readonly source: string;
  readonly url?: string;
  readonly params?: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly file?: string;
}

/**
 * Shows what a definition reads on a page, and after each change of a file what is different. The page is fetched
 * once.
 */
export async function watchTrial(
  terminal: Terminal,
  command: Command,
  tried: Tried,
  options: TryOptions,
): Promise<void> {
  const { source, file } = tried;
  const folder = await sourcesFolder(terminal, options.sources);
  const fetched = file === undefined ? await fetchPage(terminal, command, askedOf(tried)) : undefined;
  const plugins = await pluginsFolder(terminal, folder);
  const { plugin } = await validDefinition(terminal, folder, source);
  const { definitionIn } = await import('../../definition/file.ts');
  const json = globalOptions(command).json ?? false;
  let before: TryView | undefined;
  await look();
  const files = watched();
  await whileWatching(files, look, () => terminal.err(`watching ${files.join(' and ')}; Ctrl-C ends it`));

  function watched(): string[] {
    return [
      definitionIn(folder, source),
      ...(file === undefined ? [] : [file]),
      ...(plugin === undefined ? [] : [join(plugins, plugin)]),
    ];
  }

  async function look(): Promise<void> {
    // An editor may take a file away before it puts the new one there.
    if (before !== undefined && !watched().every((each) => existsSync(each))) return;
    const loaded = await loadDefinition(folder, source);
    if (!loaded.ok) return terminal.err(showProblems(terminal, loaded.problems));
    const page = fetched ?? (await pageOf(file ?? ''));
    const found = await readHeldPage(loaded.value, page, { trees: options.trees ?? false, plugins });
    if (json) terminal.out(JSON.stringify(found));
    else if (before === undefined) terminal.out(showTrial(terminal, found, options.items));
    else terminal.out(changeText(terminal, before, found));
    before = found;
  }

  async function pageOf(path: string): Promise<HeldPage> {
    const definition = await validDefinition(terminal, folder, source);
    return { body: await readPageFile(path), url: await addressOf(definition, tried) };
  }
}

function askedOf({ source, url, params }: Tried): Parameters<typeof fetchPage>[2] {
  return url === undefined ? { id: source, params: { ...params } } : { id: source, url };
}

/** Formats how a reading differs from the one before: records, fields, and what could not be read. */
function changeText(terminal: Terminal, before: TryView, after: TryView): string {
  const notes = (found: TryView): string[] => [
    ...(found.failure ? [`${found.failure.code}: ${plainText(found.failure.message)}`] : []),
    ...found.absent.map((field) => `${field}: no place matched`),
    ...found.unparsed.map(
      ({ record, field, text, expected }) => `${record}.${field}: expected ${expected}, got "${plainText(text)}"`,
    ),
  ];
  const [old, now] = [notes(before), notes(after)];
  const lines = [
    ...differencesOf(before.drafts, after.drafts).map((each) => differenceLine(terminal, each)),
    ...old.filter((note) => !now.includes(note)).map((note) => terminal.paint('green', `- ${note}`)),
    ...now.filter((note) => !old.includes(note)).map((note) => terminal.paint('yellow', `+ ${note}`)),
  ];
  return lines.length === 0 ? 'nothing is different' : lines.join('\n');
}

/** Changes within this time, in milliseconds, count as one: editors write a file in several steps. */
const settleMs = 50;

/**
 * Calls `changed` once for every change of any of the files, until an interrupt; resolves then. Folders are watched, as editors
 * put new files in the places of old ones; `ready` is called when they are. While a call runs, changes wait for its end.
 */
async function whileWatching(files: readonly string[], changed: () => Promise<void>, ready: () => void): Promise<void> {
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
