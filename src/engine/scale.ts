/** How many worker processes there may be. */
export interface ScaleLimits {
  readonly min: number;
  readonly max: number;
}

/** When their number is changed. Durations are milliseconds. */
export interface ScalePace {
  /** A turn that waits for longer is late. */
  readonly lateMs: number;
  /** Worker processes are added once turns have been late for so long, and again after as long. */
  readonly addAfterMs: number;
  /** One is removed once it could be spared for so long, and the next after as long. */
  readonly removeAfterMs: number;
  /** The steps that each runs at a time, for as long as none tells its own number. */
  readonly concurrency: number;
}

/** What there is to do, and who does it. */
export interface Load {
  /** The turns that wait for room in flight alone, and for how long the oldest has, in milliseconds; `undefined` where none waits. */
  readonly turns: number;
  readonly oldestMs: number | undefined;
  /** The worker processes that are there and take steps. */
  readonly workers: number;
  /** The steps that they run, and that they may run at a time. */
  readonly running: number;
  readonly slots: number;
}

/** How many worker processes are wanted, and since when the load has called for more or for fewer. Instants are of one monotonic clock. */
export interface Scale {
  readonly wanted: number;
  readonly lateSince: number | undefined;
  readonly spareSince: number | undefined;
}

/** The part of the slots that the steps of a process which is to go may take up of the others: the load is never as even as its mean. */
const fullShare = 0.7;

/** The scale at a start, with as many as were wanted before. */
export function firstScale(wanted: number, limits: ScaleLimits): Scale {
  return { wanted: within(wanted, limits), lateSince: undefined, spareSince: undefined };
}

/**
 * The scale after a look at the load. More are wanted where turns have been late for `addAfterMs`: as many as have slots for the turns that wait,
 * though at most twice as many as before. One less is wanted where no turn has waited for `removeAfterMs`, and the others had room for all steps. So the
 * number stays as it is between the two.
 */
export function nextScale(
  { wanted: before, lateSince: lateBefore, spareSince: spareBefore }: Scale,
  load: Load,
  now: number,
  { pace, limits }: { readonly pace: ScalePace; readonly limits: ScaleLimits },
): Scale {
  const wanted = within(before, limits);
  const each = load.workers === 0 ? pace.concurrency : load.slots / load.workers;
  if (load.oldestMs !== undefined && load.oldestMs > pace.lateMs) {
    const lateSince = lateBefore ?? now;
    if (now - lateSince < pace.addAfterMs) return { wanted, lateSince, spareSince: undefined };
    const more = Math.min(Math.ceil(load.turns / each), Math.max(1, wanted));
    return { wanted: within(wanted + more, limits), lateSince: now, spareSince: undefined };
  }
  const isSpare = load.turns === 0 && load.running <= fullShare * each * Math.max(0, load.workers - 1);
  if (!isSpare) return { wanted, lateSince: undefined, spareSince: undefined };
  const spareSince = spareBefore ?? now;
  if (now - spareSince < pace.removeAfterMs) return { wanted, lateSince: undefined, spareSince };
  return { wanted: within(wanted - 1, limits), lateSince: undefined, spareSince: now };
}

function within(wanted: number, { min, max }: ScaleLimits): number {
  return Math.min(max, Math.max(min, wanted));
}
