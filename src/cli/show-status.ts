import type { Style, Terminal } from './terminal.ts';

const statusStyles: Readonly<Record<string, Style>> = {
  active: 'green',
  ready: 'green',
  complete: 'green',
  running: 'cyan',
  waiting: 'cyan',
  starting: 'cyan',
  finished: 'blue',
  archived: 'dim',
  cancelled: 'yellow',
  aborted: 'yellow',
  missing: 'yellow',
  disabled: 'yellow',
  stopping: 'yellow',
  gone: 'red',
  parked: 'red',
  failed: 'red',
  definition_error: 'red',
  not_initialised: 'red',
  login_attempts: 'red',
  circuit_open: 'red',
  objective_infeasible: 'yellow',
};

/** A status in its colour. */
export function showStatus(terminal: Terminal, status: string): string {
  const style = statusStyles[status];
  return style ? terminal.paint(style, status) : status;
}
