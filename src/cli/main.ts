import { runProgram } from './program.ts';
import { processTerminal } from './terminal.ts';

// Whoever reads the result may have had enough of it, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

void runProgram(process.argv.slice(2), processTerminal()).then((status) => {
  // A daemon or demo that was run here has set its own.
  if (status !== 0) process.exitCode = status;
});
