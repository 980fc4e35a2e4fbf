import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Format, PartFile, Widening } from './format.ts';
import type { Column, Row, Table } from './table.ts';

/** The bounds of files and of what is held in memory. */
export interface PartLimits {
  readonly rows: number;
  readonly bytes: number;
  readonly heldBytes: number;
}

/** The bounds of exports. */
export const partLimits: PartLimits = { rows: 1_000_000, bytes: 256 * 1_048_576, heldBytes: 48 * 1_048_576 };

/** A file that is whole. */
export interface WholePart {
  readonly path: string;
  /** Its name within the export, such as `records/shop.product/000003.parquet`. */
  readonly name: string;
  readonly rows: number;
}

/** Types of columns that had to be widened, by folder and column. */
export type Widened = Readonly<Record<string, Readonly<Record<string, Column['type']>>>>;

interface OpenPart {
  readonly table: Table;
  readonly columns: readonly Column[];
  readonly path: string;
  readonly name: string;
  readonly file: PartFile;
}

interface PartsOptions {
  readonly format: Format;
  /** The folder of the files under way. */
  readonly spool: string;
  /** The number in the names of the files. */
  readonly number: number;
  readonly widened: Widened;
  readonly limits: PartLimits;
  /** Called where a cell does not fit its column, whose type is another from this row on. */
  onWidened(table: Table, widening: Widening): void;
}

/** The files of one stretch of an export, one for each table, written at the same time. */
export class Parts {
  readonly #options: PartsOptions;
  readonly #open = new Map<string, OpenPart>();
  readonly #whole: WholePart[] = [];
  readonly #made = new Map<string, number>();
  #widened: Widened;
  #sinceLook = 0;

  constructor(options: PartsOptions) {
    this.#options = options;
    this.#widened = options.widened;
  }

  get widened(): Widened {
    return this.#widened;
  }

  /** Whether a file has reached its bounds. */
  get isFull(): boolean {
    const { rows, bytes } = this.#options.limits;
    return [...this.#open.values()].some(({ file }) => file.rows >= rows || file.writtenBytes >= bytes);
  }

  async add(row: Row): Promise<void> {
    for (;;) {
      const part = this.#open.get(row.table.folder) ?? (await this.#create(row.table));
      const widening = part.file.add(row);
      if (widening === undefined) break;
      this.#widen(row.table, widening);
      await this.#end(part);
    }
    this.#sinceLook += 1;
    if (this.#sinceLook >= 250) await this.#keepBounds();
  }

  /** Ends all files. Resolves with them, whole and on disk. */
  async finish(): Promise<readonly WholePart[]> {
    for (const part of this.#open.values()) await this.#end(part);
    return this.#whole;
  }

  /** Flushes the files that hold the most in memory, until all of them together are within their bound. */
  async #keepBounds(): Promise<void> {
    this.#sinceLook = 0;
    const files = [...this.#open.values()]
      .map(({ file }) => file)
      .sort((one, other) => other.heldBytes - one.heldBytes);
    const { limits, format } = this.#options;
    let held = files.reduce((sum, file) => sum + file.heldBytes, 0);
    for (const file of files) {
      if (held <= limits.heldBytes && file.heldBytes <= format.heldBytes) return;
      held -= file.heldBytes;
      await file.flush();
    }
  }

  async #create(table: Table): Promise<OpenPart> {
    const { format, spool, number } = this.#options;
    const made = (this.#made.get(table.folder) ?? 0) + 1;
    this.#made.set(table.folder, made);
    const base = `${String(number).padStart(6, '0')}${made === 1 ? '' : `-${made}`}.${format.extension}`;
    const name = `${table.folder}/${base}`;
    const path = join(spool, name.replaceAll('/', '~'));
    await rm(path, { force: true });
    const widened = this.#widened[table.folder] ?? {};
    const columns = table.columns.map((column) => ({ ...column, type: widened[column.name] ?? column.type }));
    const part = { table, columns, path, name, file: await format.create(path, columns) };
    this.#open.set(table.folder, part);
    return part;
  }

  async #end({ table, path, name, file }: OpenPart): Promise<void> {
    this.#open.delete(table.folder);
    await file.finish();
    if (file.rows === 0) await rm(path);
    else this.#whole.push({ path, name, rows: file.rows });
  }

  #widen(table: Table, widening: Widening): void {
    const { folder } = table;
    this.#widened = { ...this.#widened, [folder]: { ...this.#widened[folder], [widening.column]: widening.to } };
    this.#options.onWidened(table, widening);
  }
}
