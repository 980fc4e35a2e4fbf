import type { HostPace } from './host-pace.ts';

/** What a source's pulse asks one host for. */
export interface PulseLoad {
  /** Requests of one round; those that ask for many targets at once count as one each. */
  readonly requests: number;
  /** From one round to the next. */
  readonly everyMs: number;
}

const dayMs = 86_400_000;

/** How often rounds begin: one that takes longer than its interval has the turns that pass meanwhile left out. */
export function roundEveryMs({ requests, everyMs }: PulseLoad, { delayMs }: HostPace): number {
  return everyMs * Math.max(1, Math.ceil((requests * delayMs) / everyMs));
}

/** The turns of a host that a pulse takes in a day, on average. */
export function pulseTurnsPerDay(load: PulseLoad, host: HostPace): number {
  return (load.requests * dayMs) / roundEveryMs(load, host);
}
