import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../store/store.ts';
import { createToken } from '../store/tokens.ts';

/** The file in the data folder that holds the first token of the HTTP API. */
const firstTokenFile = 'http-token';

/**
 * Makes the first token of the HTTP API, which may do everything, and writes it to a file that only its owner may read. Does nothing
 * where the file is there: a token that was revoked stays so. Without the file, a new token takes the place of the first one.
 */
export async function makeFirstToken(store: Store, data: string): Promise<void> {
  const file = join(data, firstTokenFile);
  if (existsSync(file)) return;
  const { text } = await createToken(store, { label: 'first', role: 'admin' }, 'first');
  await writeFile(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
}
