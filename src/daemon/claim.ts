import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isNamedPipe } from '../control/socket-path.ts';
import { type Claimable, claim } from '../store/claim.ts';
import { bornOf } from './born.ts';

/** Who keeps a data directory. */
export type Identity = Parameters<typeof claim>[1];

/** Another living daemon keeps the data directory. */
export class ClaimedError extends Error {
  override readonly name = 'ClaimedError';
}

const probeMs = 2_000;
/** Ends with 0 when something listens at the path in its argument. */
const probe = `require('node:net').connect(process.argv[1]).on('connect', () => process.exit(0)).on('error', () => process.exit(1))`;

/** Claims a data directory; throws a `ClaimedError` when the daemon that has it still lives. */
export function claimData(store: Claimable, identity: Identity, data: string): void {
  const claimed = claim(store, identity, lives);
  if (claimed.ok) return;
  const { pid, socket } = claimed.holder;
  throw new ClaimedError(
    `${data}: a daemon (pid ${pid}, socket ${socket}) keeps it already: stop that one, or use another data folder`,
  );
}

/** Whether a daemon lives: its process does, though it may not listen yet, or it answers from where processes have other numbers. */
function lives({ pid, born, socket }: Identity): boolean {
  return (born !== undefined && bornOf(pid) === born) || answers(socket);
}

/** In a process of its own, as the claim's transaction cannot wait for anything else. */
function answers(socket: string): boolean {
  if (!isNamedPipe(socket) && !existsSync(socket)) return false;
  return spawnSync(process.execPath, ['-e', probe, socket], { timeout: probeMs, stdio: 'ignore' }).status === 0;
}
