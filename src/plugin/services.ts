import type { Ask, WantedRecords } from '../provider/define.ts';
import type { Batch, FetchAnswer, PluginLogLine, RecordSlice } from './protocol.ts';

/** The services of the daemon for one call of a plug-in. A rejection ends the call and is passed to its caller. */
export interface PluginServices {
  /** Called when the call has its thread and its module is loaded. */
  began?(): void;
  /**
   * Makes a request of the plug-in. Turn, robots.txt, address checks, session and limits are the daemon's. The signal
   * fires when the call has ended.
   */
  fetch(ask: Ask, signal: AbortSignal): Promise<FetchAnswer>;
  /** The text of a secret that the definition names; `undefined` for any other. */
  secret(name: string): string | undefined | Promise<string | undefined>;
  /** Some of the records that are stored, from a cursor on. */
  records(wanted: WantedRecords, cursor: string | undefined): Promise<RecordSlice>;
  log(line: PluginLogLine): void;
  /** Takes a batch of a collector. The collector waits for it before it sends another. */
  collected(batch: Batch): Promise<void>;
  /** Replaces secrets in a message. */
  hide(text: string): string;
}

/** Services for functions that need none: log lines are dropped and requests refused. */
export const noServices: PluginServices = {
  fetch: () => Promise.resolve({ ok: false, failure: { code: 'disallowed', message: 'expected no request here' } }),
  secret: () => undefined,
  records: () => Promise.resolve({ records: [] }),
  log: () => undefined,
  collected: () => Promise.resolve(),
  hide: (text) => text,
};

/** The limits of a call. Durations are milliseconds. `loadMs` and `totalMs` end no thread that others keep from its processor. */
export interface PluginLimits {
  /** The time to load the module. */
  readonly loadMs: number;
  /** The processor time of a function that does not wait for the daemon. */
  readonly cpuMs: number;
  /** The whole time of a function that does not wait for the daemon. */
  readonly totalMs: number;
  /** The longest time without a message of `collect`, `authenticate` or a function of a pipeline, in ms, not counting waits for the daemon. */
  readonly silenceMs: number;
  /** The memory of one thread, in MiB, on its heap and outside of it. */
  readonly memoryMib: number;
}

/** The limits of every call, where the daemon sets no others. */
export const defaultPluginLimits: PluginLimits = {
  loadMs: 10_000,
  cpuMs: 5_000,
  totalMs: 15_000,
  silenceMs: 60_000,
  memoryMib: 256,
};
