import { exitStatus } from './exit-status.ts';
import { runProgram } from './program.ts';
import { processTerminal } from './terminal.ts';

const terminal = processTerminal();

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads the result may have had enough of it, as `head` does.
  if (error.code === 'EPIPE') process.exit(exitStatus.ok);
  terminal.err(`heronry: cannot write the result: ${error.message}`);
  process.exit(exitStatus.failed);
});

// What nobody reads, or what cannot be written, must not end the work that it tells of; there is nowhere else to tell it.
process.stderr.on('error', () => {});

void runProgram(process.argv.slice(2), terminal).then((status) => {
  // A daemon or demo that was run here has set its own.
  if (status !== 0) process.exitCode = status;
});
