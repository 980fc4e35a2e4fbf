import type { Validators } from '../../fetch/page.ts';
import type { Failure } from '../../view/fields.ts';
import type { FileFields, FileOptions } from '../../view/file.ts';
import type { Environment } from '../lmdb/environment.ts';
import { table } from '../lmdb/table.ts';
import { namingSources, ownSource } from './source-names.ts';
import { digestOf } from './digest.ts';

/** A file as it was fetched. The vault has its bytes, unless they have expired. */
export interface StoredFile extends Validators {
  readonly digest: string;
  readonly bytes: number;
  readonly mediaType: string;
  /** When its response came, wall time. */
  readonly at: number;
}

/** A file that records of a source name, by its address. */
export interface FileRow extends FileOptions {
  readonly source: string;
  readonly url: string;
  /** When it is to be fetched at the earliest, wall time; missing for one that is stored or given up. */
  readonly askAt?: number;
  /** How many times in a row it could not be fetched, and why at last. */
  readonly tries?: number;
  readonly failure?: Failure;
  readonly stored?: StoredFile;
}

type FileKey = [source: string, address: string];

/** Files that soon vanish have the first rank. */
const ranks = [0, 1] as const;

/** The files that records name, by source and address, with the order in which they are to be fetched. */
export function fileTable(environment: Environment) {
  const fields = namingSources(environment, table<string, FileFields>(environment, 'files.fields'), { key: 'whole' });
  const rows = namingSources(environment, table<FileKey, FileRow>(environment, 'files'), { key: 0, row: ownSource });
  const toAsk = namingSources(
    environment,
    table<[source: string, rank: number, at: number, address: string], 1>(environment, 'files.to_ask'),
    { key: 0 },
  );
  const records = namingSources(environment, table<[...FileKey, record: number], 1>(environment, 'files.records'), {
    key: 0,
  });
  const ofRecord = table<[record: number, address: string], 1>(environment, 'files.of_record');
  const stored = namingSources(environment, table<[digest: string, ...FileKey], 1>(environment, 'files.stored'), {
    key: 1,
  });

  return {
    /** The fields of a source's records that are addresses of files; `undefined` where there never were any. */
    fieldsOf: (source: string) => fields.get(source),
    putFields: (source: string, given: FileFields) => fields.put(source, given),
    get: (source: string, url: string) => rows.get([source, digestOf(url)]),
    put(row: FileRow): void {
      const { source, url } = row;
      const key: FileKey = [source, digestOf(url)];
      forget(key);
      if (row.askAt !== undefined) toAsk.put([source, rankOf(row), row.askAt, key[1]], 1);
      if (row.stored !== undefined) stored.put([row.stored.digest, ...key], 1);
      rows.put(key, row);
    },
    /** Notes that a record names a file. */
    link(source: string, url: string, record: number): void {
      const address = digestOf(url);
      if (ofRecord.putNew([record, address], 1)) records.put([source, address, record], 1);
    },
    /** Notes that a record names only these files any more. Forgets each file that none names. */
    unlinkOthers(source: string, record: number, urls: Iterable<string>): void {
      const kept = new Set(Array.from(urls, digestOf));
      for (const [, address] of [...ofRecord.keys({ from: [record, ''], before: [record + 1, ''] })]) {
        if (kept.has(address)) continue;
        ofRecord.remove([record, address]);
        records.remove([source, address, record]);
        if (recordsOf([source, address], 1).length > 0) continue;
        forget([source, address]);
        rows.remove([source, address]);
      }
    },
    /** The files of a source, or of all, those after one. */
    rows: (source?: string, after?: Pick<FileRow, 'source' | 'url'>) =>
      rows.rows({
        ...(after !== undefined ? { after: [after.source, digestOf(after.url)] } : { from: [source ?? '', ''] }),
        ...(source !== undefined && { before: [source, '\uffff'] }),
      }),
    /** The numbers of the first records that name a file. */
    recordsOf: (source: string, url: string, limit: number) => recordsOf([source, digestOf(url)], limit),
    /** The files of a source that are to be fetched at `now`, in order: first those that soon vanish. */
    *due(source: string, now: number): Iterable<FileRow> {
      for (const rank of ranks) {
        for (const [, , , address] of toAsk.keys({
          from: [source, rank, 0, ''],
          before: [source, rank, now + 1, ''],
        })) {
          const row = rows.get([source, address]);
          if (row !== undefined) yield row;
        }
      }
    },
    /** When the next file of a source is to be fetched, wall time; `undefined` while none is. */
    nextAt(source: string): number | undefined {
      const first = ranks.flatMap((rank) => [
        ...toAsk.keys({ from: [source, rank, 0, ''], before: [source, rank, Infinity, ''], limit: 1 }),
      ]);
      return first.length === 0 ? undefined : Math.min(...first.map(([, , at]) => at));
    },
    /** The files that were stored with this digest. */
    storedAs: (digest: string): readonly FileRow[] =>
      [...stored.keys({ from: [digest, '', ''], before: [`${digest}\0`, '', ''] })].flatMap(
        ([, source, address]) => rows.get([source, address]) ?? [],
      ),
    /** Whether a file that a record names was stored with this digest. */
    isStored: (digest: string) =>
      [...stored.keys({ from: [digest, '', ''], before: [`${digest}\0`, '', ''], limit: 1 })].length > 0,
  };

  /** Removes what leads to a file, before it is put anew or removed. */
  function forget(key: FileKey): void {
    const old = rows.get(key);
    if (old?.askAt !== undefined) toAsk.remove([key[0], rankOf(old), old.askAt, key[1]]);
    if (old?.stored !== undefined) stored.remove([old.stored.digest, ...key]);
  }

  function recordsOf([source, address]: FileKey, limit: number): number[] {
    const range = {
      from: [source, address, 0] as [...FileKey, number],
      before: [source, address, Infinity] as [...FileKey, number],
    };
    return Array.from(records.keys({ ...range, limit }), ([, , record]) => record);
  }
}

function rankOf({ isEphemeral }: FileOptions): number {
  return isEphemeral === true ? ranks[0] : ranks[1];
}
