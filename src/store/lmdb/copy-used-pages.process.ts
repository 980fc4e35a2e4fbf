// The process of `whyNotCopied`: a page that is missing ends it by a signal, or by the error of the copy.
import { open } from 'lmdb';

const [from = '', to = ''] = process.argv.slice(2);
try {
  const root = open({ path: from, noSubdir: false, readOnly: true });
  await root.backup(to, true);
  await root.close();
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
