import type { Format } from './format.ts';
import { parquet } from './parquet.ts';
import { csv, ndjson } from './text-format.ts';

/** The formats of exported files, by name. */
export const formats = { ndjson, csv, parquet } as const satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof formats;
