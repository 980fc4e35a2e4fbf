// The process of `whyNotCopied`: a page that is missing or damaged ends it by a signal, or by the error of LMDB.
import { open, type RootDatabase } from 'lmdb';

const [path = '', to = ''] = process.argv.slice(2);
try {
  const root = open({ path, noSubdir: false, readOnly: true, maxDbs: 128 });
  // A copy reads the lists of free pages as well, and all of each long row.
  await root.backup(to, true);
  for (const name of [...root.getKeys()]) if (typeof name === 'string') readTable(root, name);
  await root.close();
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/** Reads all rows of a table. Throws where there are fewer or more than it counts, or a row is not JSON though others are. */
function readTable(root: RootDatabase, name: string): void {
  const table = root.openDB<Uint8Array, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
  const counts = { rows: 0, json: 0 };
  let last: Buffer | undefined;
  for (const { key, value } of table.getRange()) {
    if (last !== undefined && Buffer.compare(last, key) >= 0) throw new Error(`the rows of ${name} are not in order`);
    last = Buffer.from(key);
    counts.rows += 1;
    if (isJson(value)) counts.json += 1;
  }
  const { entryCount } = table.getStats() as { readonly entryCount: number };
  if (counts.rows !== entryCount) throw new Error(`${name} has ${counts.rows} rows, and counts ${entryCount}`);
  const odd = counts.rows - counts.json;
  if (counts.json > 0 && odd > 0) throw new Error(`${odd} of ${counts.rows} rows of ${name} are not JSON`);
}

/** The bytes of rows that are stored in another way are never JSON. */
function isJson(value: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(value).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
