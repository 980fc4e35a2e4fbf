/** Thrown where a package is missing that the program uses only for what was asked. */
export class MissingPeer extends Error {
  override readonly name = 'MissingPeer';
}

/** Loads a package that a person installs only for what needs it. Rejects with a `MissingPeer` where it is not there. */
export async function loadPeer<T>(load: () => Promise<T>, name: string): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new MissingPeer(`${name} is not installed: npm install ${name}`, { cause });
  }
}
