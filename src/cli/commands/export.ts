import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { defined } from '../../defined.ts';
import { DestinationError, type Destination } from '../../export/destination.ts';
import { isFileFault } from '../../export/folder.ts';
import { type FormatName, formats } from '../../export/formats.ts';
import { partLimits } from '../../export/parts.ts';
import { type Exported, exported } from '../../export/rows.ts';
import { type ExportResult, runExport } from '../../export/run.ts';
import { MissingPeer } from '../../load-peer.ts';
import { examples, globalOptions, helpGroups, print, withClient } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { openPlace, type PlaceOptions } from '../local/export-place.ts';
import { openDaemonRows, selection } from '../local/export-rows.ts';
import { instantOption } from '../options.ts';
import type { Terminal } from '../terminal.ts';
import { countText } from '../../view/text.ts';

interface Options extends PlaceOptions {
  readonly format: FormatName;
  readonly source?: string;
  readonly type?: string;
  readonly project?: string;
  readonly since?: number;
  readonly after?: string;
}

/** `export`: writes records, history, metrics or events to files, the second time only what is new. */
export function createCommand(terminal: Terminal): Command {
  return new Command('export')
    .helpGroup(helpGroups.sources)
    .description(
      'write records, their history, metrics or events to files; again to the same place, only what has changed since',
    )
    .addArgument(new Argument('<what>', 'what').choices(exported))
    .requiredOption('--to <place>', 'a folder, which is made if missing, or s3://bucket/prefix', placeOption)
    .addOption(new Option('--format <format>', 'of the files').choices(Object.keys(formats)).default('ndjson'))
    .option('--source <id>', 'only of this source')
    .option('--type <type>', 'only records of this type, or of this shared type; events of this type, as record.*')
    .option('-p, --project <id>', 'only of this project')
    .option('--since <instant>', 'only what was observed or told at this instant in UTC or later', instantOption)
    .option('--after <cursor>', 'begin behind the cursor that another export told; of a place that has none of its own')
    .option('--endpoint <url>', 'of another store than AWS that speaks S3, such as MinIO')
    .option('--region <region>', 'of the bucket; default: AWS_REGION, else us-east-1')
    .option('--allow-private', 'the store may have a private address')
    .addHelpText(
      'after',
      `\ndocs/export.md tells of the files, their columns, and how to read them.\n${examples(
        'heronry export records --to /srv/export --format parquet',
        'heronry export records --to shop --source shop --type product --format csv',
        'heronry export history --to /srv/export --since 2026-03-01',
        'heronry export events --to events --type "record.*"',
        'heronry export records --to s3://backups/heronry --format parquet',
      )}`,
    )
    .action((what: Exported, options: Options, command: Command) =>
      withClient(terminal, command, async (client) => {
        const read = await openDaemonRows(client, what, selection(options));
        const { format, after } = options;
        const destination = await opened(() => openPlace(terminal, options));
        const progress = new Progress(terminal, what, globalOptions(command).json ?? false);
        try {
          const result = await opened(() =>
            runExport(destination, {
              what,
              format,
              wanted: { ...selection(options) },
              limits: partLimits,
              read,
              onProgress: (rows, share) => progress.show(rows, share),
              onTold: (message) => progress.tell(message),
              ...defined({ after }),
            }),
          );
          progress.end();
          print(terminal, command, { what, to: destination.name, format, ...result }, () =>
            resultText(result, what, destination),
          );
        } finally {
          progress.end();
          await destination.close();
        }
      }),
    );
}

/** Parses the destination of an export. Throws an `InvalidArgumentError` for an empty text, which an unset variable gives. */
function placeOption(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a folder or s3://bucket/prefix.');
  return text;
}

function resultText({ rows, files, cursor }: ExportResult, what: Exported, { name }: Destination): string {
  if (rows === 0) return `nothing new in ${what}, up to ${cursor}`;
  return `wrote ${countText(rows, 'row')} of ${what} into ${countText(files.length, 'file')} below ${name}, up to ${cursor}`;
}

/** Runs a step of an export, and turns errors of the destination into a `CommandError`. */
async function opened<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof DestinationError) throw new CommandError(error.code, error.message, { cause: error });
    if (error instanceof MissingPeer) throw new CommandError('failed', error.message, { cause: error });
    if (isFileFault(error)) throw new CommandError('failed', fileFaultText(error), { cause: error });
    throw error;
  }
}

const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: 'is not there, and cannot be made',
  EACCES: 'may not be written by this user',
  EPERM: 'may not be written by this user',
  EROFS: 'is on a disk that is read-only',
  ENOTDIR: 'lies below a file: expected a folder',
  EEXIST: 'is a file: expected a folder',
  EISDIR: 'is a folder: expected a file of an export',
  ENOSPC: 'cannot be written, as its disk is full',
  EDQUOT: 'cannot be written, as the quota of this user is used up',
  ENAMETOOLONG: 'has a name that is too long for its disk',
};

/** Formats the error of a file. The error of a write to an open file has no path. */
function fileFaultText({ code = '', path = 'the export', message }: NodeJS.ErrnoException): string {
  const text = fileFaults[code];
  return text === undefined ? `${path}: cannot be written: ${message}` : `${path}: ${text}`;
}

const shownEveryMs = 1_000;

/** Shows the progress of an export: on a passing line, or with `--json` as a line a second on the error stream. */
class Progress {
  readonly #terminal: Terminal;
  readonly #what: string;
  readonly #isJson: boolean;
  readonly #startedAt: number;
  #shownAt: number;

  constructor(terminal: Terminal, what: string, isJson: boolean) {
    this.#terminal = terminal;
    this.#what = what;
    this.#isJson = isJson;
    this.#startedAt = terminal.now();
    this.#shownAt = this.#startedAt;
  }

  show(rows: number, share: number): void {
    const now = this.#terminal.now();
    if (now - this.#shownAt < shownEveryMs) return;
    this.#shownAt = now;
    if (this.#isJson) return this.#terminal.err(JSON.stringify({ progress: { rows, share } }));
    const perSecond = Math.round((rows / (now - this.#startedAt)) * 1_000);
    const text = `${countText(rows, 'row')} of ${this.#what}, ${Math.floor(share * 100)} %, ${perSecond} a second`;
    this.#terminal.passing(text);
  }

  tell(message: string): void {
    this.#terminal.passing('');
    this.#terminal.err(this.#isJson ? JSON.stringify({ told: message }) : message);
  }

  end(): void {
    this.#terminal.passing('');
  }
}
