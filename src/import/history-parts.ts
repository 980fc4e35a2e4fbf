import type { ImportedHistory } from './imported.ts';

/** Versions and bytes of JSON of one part of a history, which one request has room for. */
const [mostVersions, mostBytes] = [200, 1_000_000];

type Version = ImportedHistory['versions'][number];

/** Divides the history of a record, oldest first, into parts that are sent one by one. A version that is longer than a part is one by itself. */
export async function* historyParts(
  record: Omit<ImportedHistory, 'versions'>,
  versions: AsyncIterable<Version> | Iterable<Version>,
): AsyncGenerator<ImportedHistory> {
  let part: Version[] = [];
  let bytes = 0;
  for await (const version of versions) {
    const more = Buffer.byteLength(JSON.stringify(version));
    if (part.length === mostVersions || (part.length > 0 && bytes + more > mostBytes)) {
      yield { ...record, versions: part };
      part = [];
      bytes = 0;
    }
    part.push(version);
    bytes += more;
  }
  if (part.length > 0) yield { ...record, versions: part };
}
