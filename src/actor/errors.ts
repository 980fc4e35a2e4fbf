import { inspect } from 'node:util';
import type { ExitReason } from './types.ts';

/** An actor throws it to end its life, or to fail its start, with this reason and no other: OTP's `exit(Reason)`. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly reason: ExitReason;

  constructor(reason: ExitReason) {
    super(describeReason(reason));
    this.reason = reason;
  }
}

/** A question got no answer, or a stop did not go as asked. `reason` is how the asked life ended, if it did. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: 'timeout' | 'noproc' | 'ended' | 'calling_self' | 'asker_ended';
  readonly reason: ExitReason | undefined;

  constructor(code: CallError['code'], message: string, reason?: ExitReason) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** `Self.register` throws it when another life holds the key. */
export class AlreadyRegistered extends Error {
  override readonly name = 'AlreadyRegistered';
  /** The id of the life that holds the key. */
  readonly holder: string;

  constructor(key: string, holder: string) {
    super(`${key} is already registered by ${holder}`);
    this.holder = holder;
  }
}

/** The error of a question, a link or a stop whose target does not exist. */
export function noProcess(id: string): CallError {
  return new CallError('noproc', `${id} is not alive`);
}

/** The exit reason of a life whose code threw `thrown`. Never throws, whatever was thrown. */
export function reasonOf(thrown: unknown): ExitReason {
  try {
    if (thrown instanceof ExitError) return thrown.reason;
  } catch {
    // Not even its prototype can be looked at: a revoked Proxy.
  }
  return ['error', thrown];
}

/** Whether a reason is normal in OTP's sense, so that a transient child is not restarted: `normal`, `shutdown` or `['shutdown', …]`. */
export function isNormal(reason: ExitReason): boolean {
  return reason === 'normal' || isShutdown(reason);
}

/** Whether a reason is that of a requested shutdown: `shutdown` or `['shutdown', …]`. */
export function isShutdown(reason: ExitReason): boolean {
  return reason === 'shutdown' || (Array.isArray(reason) && reason[0] === 'shutdown' && reason.length === 2);
}

/** A reason as one line for people and logs. Never throws, whatever the reason holds: it is called while others are told of an end. */
export function describeReason(reason: ExitReason): string {
  try {
    return Array.isArray(reason) ? `${String(reason[0])}: ${textOf(reason[1])}` : String(reason);
  } catch {
    return 'a reason that cannot be shown';
  }
}

function textOf(detail: unknown): string {
  if (detail instanceof Error) return detail.message;
  try {
    return JSON.stringify(detail, messageOfError) ?? inspect(detail);
  } catch {
    return inspect(detail, { breakLength: Infinity, customInspect: false });
  }
}

/** Errors have nothing to show in JSON. */
function messageOfError(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
