import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** What was measured, by name; the names end in the unit. */
export type Figures = Readonly<Record<string, number>>;

/** A process that takes figures when asked to, a line for a line. */
export interface Peer {
  take(figure: string, times: number): Promise<Figures>;
  close(): void;
}

/** One scheduler, as Node runs on one thread too, and room for a million processes. */
const emulatorFlags = '+S 1:1 +P 4000000';

/** An Erlang VM; `undefined` where Elixir is not installed. */
export function startBeam(): Peer | undefined {
  if (spawnSync('elixir', ['--version']).status !== 0) return undefined;
  return startPeer('elixir', ['--erl', emulatorFlags, join(import.meta.dirname, 'figures.exs')]);
}

/** Our kernel in a process of its own, so that no figure is taken among what another one left. */
export function startKernel(): Peer {
  return startPeer(process.execPath, ['--expose-gc', join(import.meta.dirname, 'figures.ts')]);
}

function startPeer(command: string, args: readonly string[]): Peer {
  const peer: ChildProcessByStdio<Writable, Readable, null> = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface(peer.stdout)[Symbol.asyncIterator]();
  return {
    async take(figure, times) {
      peer.stdin.write(`${figure} ${times}\n`);
      const answer = await answers.next();
      if (answer.done) throw new Error(`${command} ended while it took ${figure}`);
      return JSON.parse(answer.value) as Figures;
    },
    close: () => peer.stdin.end(),
  };
}
