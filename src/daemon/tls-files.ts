import { open } from 'node:fs/promises';
import type { TlsFiles } from '../http/certificate.ts';
import { ownerFault } from '../session/secret-store.ts';

/** Reads a certificate and its key. Rejects with what is wrong with a file: a key that others can read is refused. */
export async function readTlsFiles(files: {
  readonly cert: string;
  readonly key: string;
}): ReturnType<TlsFiles['read']> {
  const [cert, key] = await Promise.all([readText(files.cert, false), readText(files.key, true)]);
  return { cert, key };
}

/** The files of a certificate and its key, whose changes are told. */
export function tlsFilesOf(
  files: Parameters<typeof readTlsFiles>[0],
  { info, warn }: { info(what: string): void; warn(what: string, error: unknown): void },
): TlsFiles {
  return {
    read: () => readTlsFiles(files),
    renewed(problem) {
      if (problem === undefined) info('HTTP is served with a new certificate');
      else warn('the changed certificate is of no use, and HTTP is served with the one before', problem);
    },
  };
}

/** Reads a file through one handle, so that the file whose owner was checked is the file that is read. */
async function readText(file: string, isSecret: boolean): Promise<string> {
  const handle = await open(file);
  try {
    const { mode, uid } = await handle.stat();
    const fault = isSecret ? ownerFault(file, mode, uid) : undefined;
    if (fault !== undefined) throw new Error(fault);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
