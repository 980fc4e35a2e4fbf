import type { Environment } from '../environment.ts';
import { table } from './table.ts';

/** The normal form of each definition in force, or by which something was read, by version, and which version each source has now. */
export interface DefinitionTable {
  normalForm(version: string): unknown;
  current(source: string): string | undefined;
  /** Keeps a version and makes it the source's current one. */
  adopt(source: string, version: string, normalForm: unknown): void;
  /** The source has no definition any longer; its versions stay until nothing names them. */
  drop(source: string): void;
  /** Every version that is kept. */
  versions(): Iterable<string>;
  /** Those that are in force. */
  currents(): Iterable<string>;
  /** Whether there was such a version. */
  remove(version: string): boolean;
}

export function definitionTable(environment: Environment): DefinitionTable {
  const forms = table<string, unknown>(environment, 'definitions');
  const current = table<string, string>(environment, 'definitions.current');

  return {
    normalForm: forms.get,
    current: current.get,
    adopt(source, version, normalForm) {
      if (!forms.has(version)) forms.put(version, normalForm);
      current.put(source, version);
    },
    drop(source) {
      current.remove(source);
    },
    versions: () => forms.keys(),
    currents: () => current.rows(),
    remove: forms.remove,
  };
}
