import { inspect } from 'node:util';
import type { ExitReason } from './types.ts';

/** Thrown by an actor that ends its life, or fails its start, with this reason and no other: OTP's `exit(Reason)`. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly reason: ExitReason;

  constructor(reason: ExitReason) {
    super(describeReason(reason));
    this.reason = reason;
  }
}

/** Why a question got no answer; `reason` is how the asked life ended, if it did. */
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

/** A key of a registry is held by another life. */
export class AlreadyRegistered extends Error {
  override readonly name = 'AlreadyRegistered';
  /** The id of the life that holds the key. */
  readonly holder: string;

  constructor(key: string, holder: string) {
    super(`${key} is already registered by ${holder}`);
    this.holder = holder;
  }
}

/** The reason of a life that ended by what it threw. */
export function reasonOf(thrown: unknown): ExitReason {
  return thrown instanceof ExitError ? thrown.reason : ['error', thrown];
}

/** Whether a life that ended so is one that a supervisor need not restart: `normal`, `shutdown` or `['shutdown', …]`. */
export function isNormal(reason: ExitReason): boolean {
  return reason === 'normal' || isShutdown(reason);
}

/** Whether a life ended as it was asked to: `shutdown` or `['shutdown', …]`. */
export function isShutdown(reason: ExitReason): boolean {
  return reason === 'shutdown' || (Array.isArray(reason) && reason[0] === 'shutdown' && reason.length === 2);
}

/** One line for people and logs. Never throws, whatever was thrown: it is called while others are told of an end. */
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
