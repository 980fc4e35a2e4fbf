import type { Ask } from '../provider/define.ts';
import type { Batch, FetchAnswer, PluginLogLine } from './protocol.ts';

/** What the daemon does for one call of a plug-in. A rejection ends the call and is the caller's. */
export interface PluginServices {
  /** Told when the call has its thread and its module is loaded. */
  began?(): void;
  /** Asks politely: turn, robots, vetting, session and limits are the daemon's. The signal fires when the call has ended. */
  fetch(ask: Ask, signal: AbortSignal): Promise<FetchAnswer>;
  /** The text of a secret that the definition names; nothing for any other. */
  secret(name: string): string | undefined | Promise<string | undefined>;
  log(line: PluginLogLine): void;
  /** Takes what a collector found; the next batch but one waits for it. */
  collected(batch: Batch): Promise<void>;
  /** A message without the texts of secrets. */
  hide(text: string): string;
}

/** Services for functions that need none: what they log is dropped, and whatever they ask for is refused. */
export const noServices: PluginServices = {
  fetch: () => Promise.resolve({ ok: false, failure: { code: 'disallowed', message: 'expected no request here' } }),
  secret: () => undefined,
  log: () => undefined,
  collected: () => Promise.resolve(),
  hide: (text) => text,
};

/** How long a call may take, in milliseconds, and how much its thread may hold. */
export interface PluginLimits {
  /** Until the module is loaded. */
  readonly loadMs: number;
  /** Of processor time, for a function that waits for nobody. */
  readonly cpuMs: number;
  /** From its begin to its end, for a function that waits for nobody. */
  readonly totalMs: number;
  /** Since its last word while it does not wait for the daemon, for `collect` and `authenticate`. */
  readonly silenceMs: number;
  /** Of one thread, in MiB, on its heap and outside of it. */
  readonly memoryMib: number;
}

export const defaultPluginLimits: PluginLimits = {
  loadMs: 10_000,
  cpuMs: 5_000,
  totalMs: 15_000,
  silenceMs: 60_000,
  memoryMib: 256,
};
