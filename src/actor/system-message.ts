import type { Behaviour } from './types.ts';

/** In a mailbox, what the kernel does in the life's turn: an exit, the end of a monitored life, a task's outcome, a stop. */
export class SystemMessage {
  readonly run: (behaviour: Behaviour<unknown>) => void | Promise<void>;

  constructor(run: SystemMessage['run']) {
    this.run = run;
  }
}
