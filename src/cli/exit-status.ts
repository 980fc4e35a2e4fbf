/** What the command line leaves with; `--help` tells it. */
export const exitStatus = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  unavailable: 69,
} as const;

export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** The table of them for people. */
export const exitStatusHelp = `Exit status:
  0   done
  1   failed; of start: the daemon could not start or live on
  2   wrong usage, parameters or configuration
  3   not found
  4   conflict, such as an id that is taken
  69  no daemon listens, or no suitable Node was found

With --json an error is one line {"error": {"code", "message"}} on standard error.`;

/** A command that cannot be carried out, with the sentence for people and what to leave with. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly status: ExitStatus;

  constructor(status: ExitStatus, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
