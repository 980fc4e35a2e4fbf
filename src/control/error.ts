/** What `data.code` of a JSON-RPC error says, with its number. */
export const errorNumbers = {
  not_json: -32700,
  line_too_long: -32600,
  invalid_request: -32600,
  unknown_method: -32601,
  invalid_params: -32602,
  internal: -32603,
  not_found: -32004,
  conflict: -32009,
  not_ready: -32053,
} as const;

export type ControlErrorCode = keyof typeof errorNumbers;

/** One parameter that is not as it should be. */
export interface ParamIssue {
  /** Such as `targets[0].url`; empty for the parameters as a whole. */
  readonly path: string;
  readonly message: string;
}

/** A request that the daemon cannot serve: thrown by handlers, sent as a JSON-RPC 2.0 error, thrown again by the client. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly code: ControlErrorCode;
  readonly issues: readonly ParamIssue[];

  constructor(
    code: ControlErrorCode,
    message: string,
    options: ErrorOptions & { issues?: readonly ParamIssue[] } = {},
  ) {
    super(message, options);
    this.code = code;
    this.issues = options.issues ?? [];
  }
}
