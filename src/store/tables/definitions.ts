import type { Environment } from '../lmdb/environment.ts';
import { table } from '../lmdb/table.ts';
import { namingSources } from './source-names.ts';

/**
 * The normal forms of definitions by version, and the current version of each source. Versions that a row names are
 * kept.
 */
export function definitionTable(environment: Environment) {
  const forms = table<string, unknown>(environment, 'definitions');
  const current = namingSources(environment, table<string, string>(environment, 'definitions.current'), {
    key: 'whole',
  });

  return {
    /** The normal form of a version. */
    normalForm: forms.get,
    /** The current version of a source. */
    current: current.get,
    /** Stores a version and makes it the source's current one. */
    adopt(source: string, version: string, normalForm: unknown): void {
      if (!forms.has(version)) forms.put(version, normalForm);
      current.put(source, version);
    },
    /** Removes the current version of a source; its versions stay until no row names them. */
    drop: current.remove,
    /** Every version that is kept. */
    versions: () => forms.keys(),
    /** The current versions of all sources. */
    currents: () => current.rows(),
    /** Removes a version. Returns whether there was one. */
    remove: forms.remove,
  };
}
