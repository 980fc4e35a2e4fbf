import { STATUS_CODES } from 'node:http';
import type { ControlError, ControlErrorCode, ParamIssue } from '../control/error.ts';

/** The statuses of the errors of control methods. */
const statuses: Readonly<Record<ControlErrorCode, number>> = {
  not_json: 400,
  line_too_long: 413,
  invalid_request: 400,
  unknown_method: 404,
  invalid_params: 400,
  internal: 500,
  not_found: 404,
  conflict: 409,
  not_ready: 503,
};

/** The codes of refusals that only HTTP knows, with their statuses. */
const refusals = {
  unauthorized: 401,
  forbidden: 403,
  read_only: 403,
  cross_site: 403,
  unknown_path: 404,
  verb_not_allowed: 405,
  body_too_large: 413,
  not_a_json_body: 415,
  not_a_form: 415,
  wrong_host: 421,
  key_reused: 422,
  too_many_failures: 429,
  no_daemon: 502,
  too_busy: 503,
} as const;

/** The codes of all errors with their statuses. */
export const errorStatuses: readonly (readonly [code: string, status: number])[] = Object.entries({
  ...statuses,
  ...refusals,
}).sort(([, one], [, other]) => one - other);

/** A reason for which a request is refused before its method is called. */
export type RefusalCode = keyof typeof refusals;

/** Thrown where a request is refused by rules of HTTP. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RefusalCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}

/** An error as it is sent: problem details (RFC 9457), with a `code` for programs. */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ControlErrorCode | RefusalCode;
  readonly issues?: readonly ParamIssue[];
}

/** Makes the problem details of an error. */
export function problemOf(error: ControlError | Refusal): Problem {
  const status = error.name === 'Refusal' ? refusals[error.code] : statuses[error.code];
  const issues = error.name === 'Refusal' ? [] : error.issues;
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: error.message,
    code: error.code,
    ...(issues.length > 0 && { issues }),
  };
}
