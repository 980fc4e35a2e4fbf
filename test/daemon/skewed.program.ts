/** Runs `heronry` with a wall clock that is off: by so many milliseconds as the first argument says. */
process.env['CLOCK_OFF_MS'] = process.argv.splice(2, 1)[0];
await import('../support/wrong-clock.ts');
await import('../../src/cli/main.ts');
