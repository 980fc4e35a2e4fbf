import type { Command } from 'commander';
import { ConnectionError } from '../../control/client.ts';
import type { Imported, Note, TakenWatch } from '../../import/imported.ts';
import { countText, plainText } from '../../view/text.ts';
import { print, withDaemon } from '../cli.ts';
import { type Column, table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { type WrittenFile, writeImport } from './import-files.ts';
import { type HistoryCounts, sendHistory } from './import-history.ts';

/** What an import did. */
interface Taken {
  readonly watches: readonly TakenWatch[];
  readonly files: readonly WrittenFile[];
  /** The names of the secrets that the files name. */
  readonly secrets: readonly string[];
  /** Missing where there is none, and where no daemon takes it. */
  readonly history?: Omit<HistoryCounts, 'notes'>;
  /** What was not taken, or not as it was. */
  readonly notes: readonly Note[];
}

/** Writes the files of an import into the present folder, hands its history to the daemon of the folder, if one runs, and prints what became of all of it. */
export async function takeImport(
  terminal: Terminal,
  command: Command,
  imported: Imported,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<void> {
  const { files, secrets } = await writeImport(terminal, imported, dryRun);
  const hasHistory = imported.watches.some(({ versions }) => versions > 0);
  const { history, error } =
    dryRun || !hasHistory ? { history: undefined } : await historyOf(terminal, command, imported);
  const { notes: further = [], ...counts } = history ?? {};
  const taken: Taken = {
    watches: imported.watches,
    files,
    secrets: [...imported.secrets.keys()],
    ...(history !== undefined && { history: counts as Omit<HistoryCounts, 'notes'> }),
    notes: [...imported.notes, ...further],
  };
  print(terminal, command, taken, () =>
    show(terminal, taken, secrets, dryRun ? 'dry' : error === undefined ? 'done' : 'failed'),
  );
  // The files are written by now: what became of them is told first.
  if (error !== undefined) throw error;
}

/** What the daemon of the folder took, or why it did not take all; neither where none runs. */
interface HistoryEnd {
  readonly history?: HistoryCounts;
  readonly error?: unknown;
}

async function historyOf(terminal: Terminal, command: Command, imported: Imported): Promise<HistoryEnd> {
  let history: HistoryCounts | undefined;
  try {
    await withDaemon(terminal, command, async (client) => {
      history = await sendHistory(client, imported);
    });
  } catch (error) {
    return error instanceof ConnectionError && error.code === 'no_daemon' ? {} : { error };
  }
  return history === undefined ? {} : { history };
}

const columns: readonly Column<TakenWatch>[] = [
  ['Id', ({ id }) => id],
  ['Watch', ({ watch }) => plainText(watch), { cutTo: 40 }],
  ['Project', ({ isTracked }) => (isTracked ? 'yes' : 'no')],
  ['Versions', ({ versions }) => String(versions)],
];

/** Whether files were written, and whether the history then failed. */
type How = 'dry' | 'done' | 'failed';

function show(
  terminal: Terminal,
  { watches, files, secrets, history, notes }: Taken,
  secretFile: SecretFile,
  how: How,
): string {
  const isDry = how === 'dry';
  const withState = (wanted: WrittenFile['state']) => files.filter(({ state }) => state === wanted);
  const [written, kept] = [withState('written'), withState('kept')];
  const versions = watches.reduce((sum, watch) => sum + watch.versions, 0);
  const lists = files.flatMap(({ path }) => (/(?:^|\/)projects-\w+\.yaml$/.test(path) ? [path] : []));
  return [
    ...(watches.length === 0 ? ['nothing was taken'] : [table(terminal, watches, columns)]),
    ...(notes.length === 0 ? [] : ['', 'not taken, or not as it was:']),
    ...notes.map(({ watch, what, why }) => plainText(`- ${watch}: ${what}: ${why}`)),
    '',
    `${isDry ? 'would write' : 'wrote'} ${countText(written.length, 'file')}${written.length > 0 ? `: ${namesOf(written)}` : ''}`,
    ...(kept.length > 0 ? [`left as they stand there, with another content: ${namesOf(kept)}`] : []),
    ...(secrets.length > 0 ? [secretLine(secrets, secretFile, files, isDry)] : []),
    ...historyLines(history, versions, how),
    ...(lists.length > 0 && !isDry
      ? [
          `next: \`heronry validate\` and \`heronry validate ${lists.join(' ')}\`, then \`heronry apply -f ${lists.join(' ')}\``,
        ]
      : []),
  ].join('\n');
}

/** The file of secrets, and whether heronry.yaml names it. */
type SecretFile = Awaited<ReturnType<typeof writeImport>>['secrets'];

function secretLine(
  names: readonly string[],
  { file, isNamed }: SecretFile,
  files: readonly WrittenFile[],
  isDry: boolean,
): string {
  const state = files.find(({ path }) => path === file)?.state;
  const told =
    state === 'kept'
      ? `not written, as ${file} was there before: add them to it, from the other tool`
      : `their values ${isDry ? 'would stand' : 'stand'} in ${file}, for its owner alone`;
  return `secrets: ${names.join(', ')}: ${told}${isNamed ? '' : `; heronry.yaml must name it: \`secrets: ${file}\``}`;
}

function historyLines(history: Taken['history'], versions: number, how: How): string[] {
  if (history !== undefined)
    return [
      `history: ${countText(history.changes, 'change')} of ${countText(versions, 'version')}, ${history.same} as before, ${history.skipped} skipped`,
    ];
  if (versions === 0 || how === 'dry') return [];
  if (how === 'failed')
    return [
      `history: ${countText(versions, 'version')} wait, or some of them: mend what the error says, and run this again before \`heronry apply\``,
    ];
  return [
    `history: ${countText(versions, 'version')} wait: start the daemon, and run this again before \`heronry apply\``,
  ];
}

/** Files that are named; the others are counted. */
const named = 8;

function namesOf(files: readonly WrittenFile[]): string {
  const more = files.length - named;
  return `${files
    .slice(0, named)
    .map(({ path }) => path)
    .join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
