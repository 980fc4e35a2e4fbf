import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isNamedPipe, realPathOf } from '../control/socket-path.ts';
import { defined } from '../defined.ts';
import { processStart } from '../is-alive.ts';
import { type Claimable, claim } from '../store/claim.ts';

/** The process that holds the claim on a data folder, with its control socket. */
export type Identity = Parameters<typeof claim>[1];

/** Thrown where another living daemon holds the data folder. */
export class ClaimedError extends Error {
  override readonly name = 'ClaimedError';
}

const probeMs = 2_000;
/** Ends with 0 when something listens at the path in its argument. */
const probe = `require('node:net').connect(process.argv[1]).on('connect', () => process.exit(0)).on('error', () => process.exit(1))`;

/** The identity of a daemon in this process. */
export function ownIdentity(socket: string, startedAt: number): Identity {
  return { pid: process.pid, socket, startedAt, ...defined({ processStart: processStart(process.pid) }) };
}

/**
 * Claims a data folder for this process. Throws a `ClaimedError` when the daemon that holds it still lives. The claim that a copy of a
 * store carries is of the original, by whichever path that is reached, and holds nobody back.
 */
export function claimData(store: Claimable, identity: Identity, data: string): void {
  const place = placeOf(store.environment.path);
  const claimed = claim(
    store,
    { ...identity, place },
    (holder) => (holder.place?.file ?? place.file) === place.file && lives(holder),
  );
  if (claimed.ok) return;
  const { pid, socket, place: held = place } = claimed.holder;
  throw new ClaimedError(
    `${data}: a daemon on ${held.machine} (pid ${pid}, socket ${socket}, folder ${held.folder}) keeps it already: stop that one, or use another data folder`,
  );
}

/** A file keeps its number where its folder is moved or mounted elsewhere; a copy has another. */
function placeOf(folder: string): NonNullable<Identity['place']> {
  const { ino } = statSync(join(folder, 'data.mdb'), { bigint: true });
  return { machine: hostname(), folder: realPathOf(folder), file: String(ino) };
}

/** The identity of the file of a store. The time of its creation tells it from a later file with the same inode. */
export function fileOf(folder: string): string {
  const { ino, birthtimeNs } = statSync(join(folder, 'data.mdb'), { bigint: true });
  return `${ino} ${birthtimeNs}`;
}

/**
 * Whether a daemon lives: its process does, though it may not listen yet, or its socket answers. The latter finds a daemon in another
 * container, where processes have other numbers.
 */
function lives({ pid, processStart: since, socket }: Identity): boolean {
  return (since !== undefined && processStart(pid) === since) || answers(socket);
}

/** Whether a process listens at a socket. A child process tries it, since the transaction of the claim must not wait for a promise. */
function answers(socket: string): boolean {
  if (!isNamedPipe(socket) && !existsSync(socket)) return false;
  return spawnSync(process.execPath, ['-e', probe, socket], { timeout: probeMs, stdio: 'ignore' }).status === 0;
}
