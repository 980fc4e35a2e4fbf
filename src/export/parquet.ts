import { appendFile } from 'node:fs/promises';
import { zstdCompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet-writer';
import type { Value } from '../extract/value/value.ts';
import type { Format } from './format.ts';
import { loadPeer } from '../load-peer.ts';
import type { CellType, Column } from './table.ts';
import { sync } from './text-format.ts';

/** What a cell is in a Parquet file. */
type Encoded = string | number | bigint | boolean | Uint8Array | null;

/** A type of column: how Parquet calls it, and how its cells are encoded; undefined for a cell that is no value of the type. */
interface ParquetType {
  readonly element: Omit<SchemaElement, 'name' | 'repetition_type'>;
  encode(value: NonNullable<Value>): Encoded | undefined;
  /** The type to which a column is widened for a value that this type cannot hold. Default: `text`. */
  readonly wider?: CellType;
}

const dayMs = 86_400_000;

const types: Readonly<Record<CellType, ParquetType>> = {
  text: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    encode: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  },
  integer: {
    element: { type: 'INT64' },
    encode: (value) => (Number.isSafeInteger(value) ? BigInt(Number(value)) : undefined),
  },
  number: { element: { type: 'DOUBLE' }, encode: (value) => (typeof value === 'number' ? value : undefined) },
  decimal: {
    element: { type: 'INT64', ...decimalOf(18, 4) },
    encode: (value) => unscaled(value, 14, 4),
    wider: 'long decimal',
  },
  'long decimal': {
    element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, ...decimalOf(38, 18) },
    encode: (value) => unscaled(value, 20, 18),
  },
  boolean: { element: { type: 'BOOLEAN' }, encode: (value) => (typeof value === 'boolean' ? value : undefined) },
  date: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    encode(value) {
      const ms = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
      return Number.isNaN(ms) ? undefined : ms / dayMs;
    },
  },
  instant: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    encode(value) {
      if (Number.isSafeInteger(value)) return BigInt(Number(value));
      const isInstant = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(value);
      const ms = isInstant ? Date.parse(value) : Number.NaN;
      return Number.isNaN(ms) ? undefined : BigInt(ms);
    },
  },
  json: {
    element: { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } },
    encode: (value) => Buffer.from(JSON.stringify(value)),
  },
};

function decimalOf(precision: number, scale: number) {
  return { converted_type: 'DECIMAL', logical_type: { type: 'DECIMAL', precision, scale }, precision, scale } as const;
}

/** The digits of a decimal text without their point, filled up to `scale` behind it; undefined where it has more. */
function unscaled(value: Value, wholeDigits: number, scale: number): bigint | undefined {
  const [text, sign, whole = '', fraction = ''] =
    /^(-?)(\d{1,40})(?:\.(\d{1,40}))?$/.exec(typeof value === 'string' ? value : '') ?? [];
  const significant = fraction.replace(/0+$/, '');
  if (text === undefined || significant.length > scale || whole.replace(/^0+/, '').length > wholeDigits)
    return undefined;
  return BigInt(`${sign}${whole}${significant.padEnd(scale, '0')}`);
}

/** The bytes that an encoded cell takes in memory, roughly. */
function sizeOf(cell: Encoded): number {
  return (typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 0) + 16;
}

/** Rows of one group: readers skip and hold whole groups. */
const rowsPerGroup = 20_000;

/** Loads what writes Parquet. Rejects with a `MissingPeer` where it is not installed. */
export function loadParquet() {
  return loadPeer(() => import('hyparquet-writer'), 'hyparquet-writer');
}

/** Apache Parquet: typed columns, compressed by Zstandard, in groups of up to 20,000 rows. */
export const parquet: Format = {
  extension: 'parquet',
  // Some groups of rows.
  heldBytes: 6 * 1_048_576,
  async create(path, columns) {
    const { ByteWriter, ParquetWriter } = await loadParquet();
    await appendFile(path, '', { mode: 0o600, flag: 'wx' });
    const bytes = new ByteWriter();
    const file = new ParquetWriter({
      writer: bytes,
      schema: schemaOf(columns).map(written),
      codec: 'ZSTD',
      compressors: { ZSTD: (input) => zstdCompressSync(input) },
      createdBy: 'heronry',
    });
    const kinds = columns.map(({ type }) => types[type]);
    let held: Encoded[][] = columns.map(() => []);
    let heldBytes = 0;
    let writtenBytes = 0;
    let rows = 0;

    return {
      add(row) {
        const cells = row.cells();
        const encoded: Encoded[] = [];
        for (const [index, column] of columns.entries()) {
          const cell = cells[index] ?? null;
          const kind = kinds[index] ?? types.text;
          const value = cell === null ? null : kind.encode(cell);
          if (value === undefined) return { column: column.name, to: kind.wider ?? 'text' };
          encoded.push(value);
        }
        for (const [index, value] of encoded.entries()) {
          held[index]?.push(value);
          heldBytes += sizeOf(value);
        }
        rows += 1;
        if ((held[0]?.length ?? 0) >= rowsPerGroup) writeGroup();
        return undefined;
      },
      get heldBytes() {
        return heldBytes + bytes.index;
      },
      get writtenBytes() {
        return writtenBytes;
      },
      get rows() {
        return rows;
      },
      async flush() {
        writeGroup();
        await writeBytes();
      },
      async finish() {
        writeGroup();
        file.schema = schemaOf(columns);
        void file.finish();
        await writeBytes();
        await sync(path);
      },
    };

    /** Encodes the rows that are held as one group. */
    function writeGroup(): void {
      const count = held[0]?.length ?? 0;
      if (count === 0) return;
      const columnData = columns.map(({ name }, index) => ({ name, data: held[index] ?? [] }));
      void file.write({ columnData, rowGroupSize: count });
      held = columns.map(() => []);
      heldBytes = 0;
    }

    async function writeBytes(): Promise<void> {
      const chunk = bytes.getBytes().slice();
      bytes.index = 0;
      writtenBytes += chunk.length;
      if (chunk.length > 0) await appendFile(path, chunk);
    }
  },
};

/** Returns the schema element that encodes values. JSON values are texts by then; with the JSON type the library would encode them a second time. */
function written(element: SchemaElement): SchemaElement {
  const { converted_type: type, logical_type: _logical, ...rest } = element;
  return type === 'JSON' ? rest : element;
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [
    { name: 'heronry', num_children: columns.length },
    ...columns.map(({ name, type }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...types[type].element })),
  ];
}
