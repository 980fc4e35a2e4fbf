/** To be imported before all else: the wall clock of this process is off by `CLOCK_OFF_MS` milliseconds from then on. */
const offMs = Number(process.env['CLOCK_OFF_MS']);
const right = Date;
globalThis.Date = class extends right {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(right.now() + offMs);
    else super(...(given as [number]));
  }

  static override now(): number {
    return right.now() + offMs;
  }
} as DateConstructor;
