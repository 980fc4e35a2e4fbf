/** Runs `heronry` with a wall clock that is wrong: by so many milliseconds as the first argument says. */
const offMs = Number(process.argv.splice(2, 1)[0]);
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
await import('../../src/cli/main.ts');
