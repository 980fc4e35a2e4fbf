/** The exit statuses of the command line, which `--help` lists, by the codes that `--json` prints. */
export const exitStatus = {
  ok: 0,
  failed: 1,
  usage: 2,
  invalid: 2,
  not_found: 3,
  conflict: 4,
  unavailable: 69,
} as const;

/** An exit status of the command line. */
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** The list of exit statuses at the end of `--help`. */
export const exitStatusHelp = `Exit status:
  0   done
  1   failed; of start: the daemon could not start or live on
  2   wrong usage or parameters, or problems in heronry.yaml, definitions or projects
  3   not found
  4   conflict, such as an id that is taken or a daemon that runs already
  69  no daemon listens, or no suitable Node was found

With --json an error is one line {"error": {"code", "message"}} on standard error.`;

/** Thrown where a command cannot be carried out: the message is for people, the code for programs. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: keyof typeof exitStatus;
  /** Set where people have read the message in what the command has printed. */
  readonly isTold: boolean;

  constructor(
    code: CommandError['code'],
    message: string,
    { isTold = false, ...options }: ErrorOptions & { readonly isTold?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.isTold = isTold;
  }
}
