/** The numbers of JSON-RPC errors, by `data.code`. */
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

/** The codes by which a client tells errors apart. */
export type ControlErrorCode = keyof typeof errorNumbers;

/** A parameter that is not valid. */
export interface ParamIssue {
  /** The path of the parameter, such as `targets[0].url`; empty for the parameters as a whole. */
  readonly path: string;
  readonly message: string;
}

/** Thrown by a handler that cannot serve a request; sent as a JSON-RPC 2.0 error, and thrown again by the client. */
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

/** Makes the refusal of one parameter, which programs find in its `issues`. */
export function invalidParam(path: string, message: string, options: ErrorOptions = {}): ControlError {
  return new ControlError('invalid_params', `${path}: ${message}`, { ...options, issues: [{ path, message }] });
}
