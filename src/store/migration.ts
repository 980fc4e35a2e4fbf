import { join } from 'node:path';
import type { Environment } from './environment.ts';
import { toSchema2 } from './schema-2.ts';
import { toSchema3 } from './schema-3.ts';
import type { StoreOptions, Tables } from './store.ts';

/**
 * Brings the tables from one schema to the next, within the transaction of all the migrations that are due.
 *
 * @param newId - makes public ids
 */
export type Migration = (environment: Environment, tables: Tables, newId: () => string) => void;

/** The first brings schema 1 to 2, and so on. */
const ownMigrations: readonly Migration[] = [toSchema2, toSchema3];

/** A store that this program cannot read. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly code: 'newer' | 'foreign';

  constructor(code: SchemaError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The schema of a store that this program can read, `undefined` for an empty one. Throws a `SchemaError` for any other. */
export function readableSchema(
  environment: Environment,
  tables: Tables,
  migrations = ownMigrations,
): number | undefined {
  const newest = migrations.length + 1;
  const found = tables.meta.schema();
  if (found === undefined && tables.commits.last() > 0) {
    throw new SchemaError(
      'foreign',
      `${environment.path}: has commits but no schema number: expected a store of Heronry`,
    );
  }
  if (found !== undefined && found > newest) {
    throw new SchemaError(
      'newer',
      `${environment.path}: has schema ${found}: expected at most ${newest}, which this version of Heronry knows; use the version that wrote it, or a newer one`,
    );
  }
  return found;
}

/**
 * Brings a store to the schema that `migrations` end at: a new one is given that number by its first commit, an older one is
 * copied to `schema-<number>` beside its file and then changed in one transaction.
 *
 * @param found - as `readableSchema` tells it
 */
export async function migrate(
  environment: Environment,
  tables: Tables,
  found: number | undefined,
  { newId, migrations = ownMigrations }: Pick<StoreOptions, 'migrations'> & Required<Pick<StoreOptions, 'newId'>>,
): Promise<void> {
  const newest = migrations.length + 1;
  if (found === newest) return;
  if (found !== undefined) await environment.copyTo(join(environment.path, `schema-${found}`));
  await environment.commit(
    () => {
      if (found !== undefined) for (const step of migrations.slice(found - 1)) step(environment, tables, newId);
      tables.meta.setSchema(newest);
    },
    // A store at its limit could never be trimmed, if it could not be opened.
    { durable: true, evenWhenFull: true },
  );
}
