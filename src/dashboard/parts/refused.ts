import type { ControlError, ParamIssue } from '../../control/error.ts';

/** Why a call was refused, in words, and the parameters that are wrong, each with what is wrong with it. */
export interface Refused {
  readonly ok: false;
  readonly why: string;
  readonly issues: readonly ParamIssue[];
}

/** What a call gave, or why it was refused. */
export type Answered<T> = { readonly ok: true; readonly result: T } | Refused;

/** Resolves with why a call is refused instead of rejecting, for a part of a page that can do without its result. */
export async function orRefusal<T>(call: Promise<T>): Promise<Answered<T>> {
  try {
    return { ok: true, result: await call };
  } catch (error) {
    if (isRefused(error)) return { ok: false, why: error.message, issues: error.issues ?? [] };
    throw error;
  }
}

/** Whether an error is one with which the daemon or HTTP refuses calls, whose classes this folder may not import as values. */
function isRefused(error: unknown): error is Error & Partial<Pick<ControlError, 'issues'>> {
  return error instanceof Error && refusals.has(error.name);
}

const refusals: ReadonlySet<string> = new Set<ControlError['name'] | 'Refusal'>(['ControlError', 'Refusal']);
