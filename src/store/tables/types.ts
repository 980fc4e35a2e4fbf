import type { Link } from '../../definition/shared-type.ts';
import type { Environment } from '../lmdb/environment.ts';
import { table } from '../lmdb/table.ts';
import { namingSources } from './source-names.ts';

/** A type that records are, and how records of it are linked. */
export interface TypeRule {
  readonly type: string;
  readonly link: Link;
}

/** The shared type of one record type of a source. */
export interface TypeRow {
  /** Missing where they are of no type any more. */
  readonly rule?: TypeRule;
  /** Set while their links are made anew: the rules by which some are still linked, and the key of the last record that is not. */
  readonly making?: { readonly before: readonly TypeRule[]; readonly madeTo?: string };
}

type Name = [source: string, record: string];

/** The types that records of sources are, and the records by what links them. */
export function typeTable(environment: Environment) {
  const types = namingSources(environment, table<Name, TypeRow>(environment, 'types'), { key: 0 });
  const links = table<[type: string, value: string, record: number], 1>(environment, 'types.links');

  return {
    get: (source: string, record: string) => types.get([source, record]),
    put: (source: string, record: string, row: TypeRow) => types.put([source, record], row),
    remove: (source: string, record: string) => types.remove([source, record]),
    /** The rows of a source, by the names of their records. */
    ofSource: (source: string) =>
      Array.from(
        types.entries({ from: [source, ''], before: [source, '\uffff'] }),
        ({ key: [, record], row }) => [record, row] as const,
      ),
    /** All rows. */
    entries: () => [...types.entries()],
    /** Links a record by a value. Returns false where it was. */
    link: (type: string, value: string, record: number) => links.putNew([type, value, record], 1),
    unlink: (type: string, value: string, record: number) => links.remove([type, value, record]),
    /** The numbers of the first records that a value links. */
    linkedBy: (type: string, value: string, limit: number) =>
      Array.from(
        links.keys({ from: [type, value, 0], before: [type, value, Infinity], limit }),
        ([, , record]) => record,
      ),
    countOfLinks: links.count,
  };
}
