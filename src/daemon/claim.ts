import { spawnSync } from 'node:child_process';
import { type Claimable, claim } from '../store/claim.ts';

/** Who keeps a data directory. */
export type Identity = Parameters<typeof claim>[1];

/** Another living daemon keeps the data directory. */
export class ClaimedError extends Error {
  override readonly name = 'ClaimedError';
}

const probeMs = 2_000;
/** Ends with 0 when something listens at the path in its argument. */
const probe = `require('node:net').connect(process.argv[1]).on('connect', () => process.exit(0)).on('error', () => process.exit(1))`;

/** Claims a data directory; throws a `ClaimedError` when the daemon that has it answers on its socket. */
export function claimData(store: Claimable, identity: Identity, data: string): void {
  const claimed = claim(store, identity, ({ pid, socket }) => isAlive(pid) && answers(socket));
  if (claimed.ok) return;
  const { pid, socket } = claimed.holder;
  throw new ClaimedError(
    `${data}: a daemon (pid ${pid}) keeps it already and answers on ${socket}: stop that one, or use another data folder`,
  );
}

/** In a process of its own, as the claim's transaction cannot wait for anything else. */
function answers(socket: string): boolean {
  return spawnSync(process.execPath, ['-e', probe, socket], { timeout: probeMs, stdio: 'ignore' }).status === 0;
}

/** Saves the start of a process in the usual case, where the last daemon was killed and is gone. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process that may not be asked exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
