import { runDemo } from '../../src/demo/run.ts';

// The demo in a process of its own, with the daemon's program given; with `exit` it exits as soon as it has said something.
const [program = '', exit] = process.argv.slice(2);
const write = (text: string) =>
  process.stdout.write(text, () => {
    if (exit !== undefined) process.exit(0);
  });
process.exitCode = await runDemo({ program, output: { write } });
