import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newGeneration } from './generation.ts';
import type { Environment } from './lmdb/environment.ts';
import { table } from './lmdb/table.ts';
import type { StoreOptions, Tables } from './store.ts';

/** Brings the tables from one schema to the next. All migrations that are due run in one transaction. */
export type Migration = (environment: Environment, tables: Tables, newId: () => string) => void;

/** The oldest schema that this program can migrate. A store of an older one is refused. */
export const oldestSchema = 8;

/** The first brings `oldestSchema` to the schema after it, and so on. */
const ownMigrations: readonly Migration[] = [
  // The most frequent values in tallies are lists now. Rounds and runs under way begin anew.
  (environment) => {
    for (const name of ['runs.rounds', 'runs.tallies']) table(environment, name).removeRange({});
  },
];

/** The schema of a new store. */
export const newestSchema = oldestSchema + ownMigrations.length;

/** A store whose schema this program cannot read. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  /** `older` and `newer`: than the schemas that this program reads; `foreign`: the environment is not a store of Heronry. */
  readonly code: 'older' | 'newer' | 'foreign';

  constructor(code: SchemaError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the schema of a store, `undefined` for an empty one. Throws a `SchemaError` when this program cannot read it. */
export function readableSchema(
  environment: Environment,
  tables: Tables,
  migrations = ownMigrations,
): number | undefined {
  const { path } = environment;
  const newest = oldestSchema + migrations.length;
  const found = tables.meta.schema();
  if (found === undefined) {
    if (tables.events.last() === 0) return undefined;
    throw new SchemaError('foreign', `${path}: has events but no schema number: expected a store of Heronry`);
  }
  if (found < oldestSchema) {
    throw new SchemaError(
      'older',
      `${path}: has schema ${found}: this version of Heronry needs ${oldestSchema} or later; use the version that wrote it, or start with an empty folder (--data) and add the projects again`,
    );
  }
  if (found > newest) {
    throw new SchemaError(
      'newer',
      `${path}: has schema ${found}: expected at most ${newest}, which this version of Heronry knows; use the version that wrote it, or a newer one`,
    );
  }
  return found;
}

/**
 * Brings a store to the newest schema. An empty store gets its number and its generation by its first commit. An older store is copied to
 * `schema-<number>` beside its file, then changed in one durable transaction. Rejects with what a migration throws; the store
 * is then as it was.
 *
 * @param found - the result of `readableSchema`
 */
export async function migrate(
  environment: Environment,
  tables: Tables,
  found: number | undefined,
  { newId, migrations = ownMigrations }: Pick<StoreOptions, 'migrations'> & Required<Pick<StoreOptions, 'newId'>>,
): Promise<void> {
  const newest = oldestSchema + migrations.length;
  if (found === newest) return;
  if (found !== undefined) {
    const copy = join(environment.path, `schema-${found}`);
    await rm(copy, { recursive: true, force: true });
    await environment.copyTo(copy);
  }
  await environment.commit(
    () => {
      if (found !== undefined) {
        for (const step of migrations.slice(found - oldestSchema)) step(environment, tables, newId);
      }
      if (found === undefined) tables.meta.setGeneration(newGeneration());
      tables.meta.setSchema(newest);
    },
    // A full store must open, or it could never be trimmed.
    { durable: true, evenWhenFull: true },
  );
}
