/** Who asks again after so long does not want to wait. What comes sooner is one request that was told twice, to a group and to its member. */
const patienceMs = 1_000;

/** Where signals come in: a process. */
interface Signals {
  on(name: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/** What signals bring about. */
export interface StopSignalsOptions {
  /** Milliseconds that only go up. */
  now(): number;
  /** Asked to end in order. */
  stop(): void;
  /** Asked again. */
  leave(): void;
}

/** Turns the signals that ask a program to end into an orderly stop, and those that ask again into an end at once. */
export function onStopSignals(signals: Signals, { now, stop, leave }: StopSignalsOptions): void {
  let askedAt: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) signals.on(name, asked);

  function asked(): void {
    if (askedAt !== undefined && now() - askedAt >= patienceMs) return leave();
    if (askedAt !== undefined) return;
    askedAt = now();
    stop();
  }
}
