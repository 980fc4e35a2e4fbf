import { constants } from 'node:os';

/** The store cannot grow: nothing of the change was written, and reads go on. */
export class StoreFullError extends Error {
  override readonly name = 'StoreFullError';
  /** `map_full`: the configured limit is reached; `disk_full`: the file system gives no more room. */
  readonly code: 'map_full' | 'disk_full';

  constructor(code: StoreFullError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** MDB_MAP_FULL of LMDB. */
const mapFull = -30_792;

/** EIO is among them: a write that the file system cuts short, which is how a disk becomes full, is reported as that by LMDB. */
const diskFull: readonly number[] = [
  constants.errno.ENOSPC,
  constants.errno.EDQUOT,
  constants.errno.EFBIG,
  constants.errno.EIO,
];

/** The error that a failed commit is thrown as: a `StoreFullError` when the room is what was lacking, else `error` itself. */
export function storeErrorOf(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreFullError) return error;
  const status = 'code' in error ? error.code : undefined;
  if (status === mapFull) {
    return new StoreFullError('map_full', `${path}: the memory map is full: expected room to write`, { cause: error });
  }
  if (typeof status === 'number' && diskFull.includes(status)) {
    return new StoreFullError('disk_full', `${path}: the disk is full (error ${status}): expected room to write`, {
      cause: error,
    });
  }
  return error;
}
