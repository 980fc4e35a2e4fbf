import type { FileView } from '../view/file.ts';
import type { RecordView } from '../view/record.ts';
import { ageText } from '../time-text.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { bytesText, plainText } from '../view/text.ts';

/** A file, and a record that names it. */
interface Named extends FileView {
  readonly source: string;
  readonly type: string;
  readonly key: string;
  readonly url: string;
}

/** Formats the files that records name as a table; no text where they name none. */
export function showFiles(terminal: Terminal, records: readonly RecordView[]): string {
  const named = records.flatMap(({ files = {}, source, type, key }) =>
    Object.entries(files).map(([url, file]) => ({ ...file, source, type, key, url })),
  );
  return filesTable(terminal, named);
}

/** Formats files as a table, one a row; no text without files. */
export function filesTable(terminal: Terminal, files: readonly Named[]): string {
  return table(terminal, files, [
    ['RECORD', ({ source, type, key }) => `${source} ${type} ${plainText(key)}`, { cutTo: 16 }],
    ['FILE', ({ url }) => plainText(url), { cutTo: 16 }],
    ['TYPE', ({ mediaType }) => plainText(mediaType ?? '')],
    ['SIZE', ({ bytes }) => (bytes === undefined ? '' : bytesText(bytes))],
    ['DIGEST', (file) => stateText(terminal, file), { cutTo: 22 }],
  ]);
}

/** The digest of a stored file, or why there is none. */
function stateText(terminal: Terminal, { state, digest = '', failure, dueAt = 0 }: FileView): string {
  const why = failure === undefined ? '' : `: ${plainText(failure.message)}`;
  const now = terminal.now();
  switch (state) {
    case 'stored':
      return digest;
    case 'expired':
      return `${digest} (no longer kept)`;
    case 'waiting':
      return dueAt <= now ? `waits${why}` : `tried again ${ageText(dueAt, now)}${why}`;
    case 'failed':
      return terminal.paint('red', `given up${why}`);
    default:
      return state satisfies never;
  }
}
