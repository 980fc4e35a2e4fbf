import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { TryView } from '../../control/methods/source.ts';
import { globalOptions } from '../cli.ts';
import type { Tried, TryOptions } from '../commands/try.ts';
import { showProblems } from '../problems.ts';
import { showTrial } from '../show-trial.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../text.ts';
import { definitionFile, loadDefinition, pluginsFolder, sourcesFolder, validDefinition } from './definitions.ts';
import { differencesOf } from './differences.ts';
import { fetchPage } from './fetch-page.ts';
import { addressOf, type HeldPage, readHeldPage, readPageFile } from './page.ts';
import { differenceLine } from './show-difference.ts';
import { whileWatching } from './watching.ts';

/** Shows a trial of a page, and after each change of its files what is different then; asks for the page once. */
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
  const json = globalOptions(command).json ?? false;
  let before: TryView | undefined;
  await look();
  const files = watched();
  await whileWatching(files, look, () => terminal.err(`watching ${files.join(' and ')}; Ctrl-C ends it`));

  function watched(): string[] {
    return [
      definitionFile(folder, source),
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

/** What is different from the reading before, and the failure or the losses that are new. */
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
