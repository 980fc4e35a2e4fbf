import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTlsFiles } from '../../src/daemon/tls-files.ts';
import { temporaryFolder } from '../store/fixture.ts';
import { identity } from '../support/secure-site.ts';

test('the key of a certificate is refused where others can read it', async (t) => {
  const folder = temporaryFolder(t);
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const { cert, key } = identity('localhost');
  await writeFile(files.cert, cert);
  await writeFile(files.key, key, { mode: 0o600 });
  assert.deepEqual(await readTlsFiles(files), { cert, key });
  for (const mode of [0o644, 0o640]) {
    await chmod(files.key, mode);
    await assert.rejects(readTlsFiles(files), { message: /key\.pem: expected mode 0600, .* got 06/ });
  }
  await assert.rejects(readTlsFiles({ ...files, cert: join(folder, 'none') }), { code: 'ENOENT' });
});
