import { appendFile, open } from 'node:fs/promises';
import { csvCell, csvRow } from './csv.ts';
import type { Format } from './format.ts';
import type { Column, Row } from './table.ts';

/** Bytes of lines that are written at a time. Longer texts and buffers would outlive many collections of the young generation. */
const heldBytes = 524_288;

/** One line of JSON a row. */
export const ndjson: Format = textFormat('ndjson', { lineOf: ({ json }) => JSON.stringify(json) });

/** One row of CSV a row, below one of names. */
export const csv: Format = textFormat('csv', {
  head: (columns) => csvRow(columns.map(({ name }) => name)),
  lineOf: (row, columns) => csvRow(row.cells().map((cell, index) => csvCell(cell, columns[index]?.type))),
});

interface Lines {
  head?(columns: readonly Column[]): string;
  lineOf(row: Row, columns: readonly Column[]): string;
}

function textFormat(extension: string, { head, lineOf }: Lines): Format {
  return {
    extension,
    heldBytes,
    async create(path, columns) {
      let lines: string[] = head === undefined ? [] : [head(columns)];
      let heldBytes = 0;
      let writtenBytes = 0;
      let rows = 0;
      await appendFile(path, '', { mode: 0o600, flag: 'wx' });
      return {
        add(row) {
          const line = lineOf(row, columns);
          lines.push(line);
          heldBytes += line.length + 1;
          rows += 1;
          return undefined;
        },
        get heldBytes() {
          return heldBytes;
        },
        get writtenBytes() {
          return writtenBytes;
        },
        get rows() {
          return rows;
        },
        flush,
        async finish() {
          await flush();
          await sync(path);
        },
      };

      async function flush(): Promise<void> {
        if (lines.length === 0) return;
        const bytes = Buffer.from(`${lines.join('\n')}\n`);
        lines = [];
        heldBytes = 0;
        writtenBytes += bytes.length;
        await appendFile(path, bytes);
      }
    },
  };
}

/** Waits until a file is on disk. */
export async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
