import { runDemo } from '../../src/demo/run.ts';

// The demo in a process of its own, with the daemon's program given; with `exit` it exits as soon as it has said something, with
// `twice` it gets each SIGINT a second time.
const [program = '', way] = process.argv.slice(2);
if (way === 'twice') process.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
const write = (text: string) =>
  process.stdout.write(text, () => {
    if (way === 'exit') process.exit(0);
  });
process.exitCode = await runDemo({ program, output: { write } });
