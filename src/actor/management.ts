import type { ChildSpec, ExitReason, Ref, Reply, SpecProblem } from './types.ts';

/*
 * Each question below waits without a time limit, and rejects with a `CallError` if the supervisor is not alive or ends first.
 */

/** Why `startChild` or `restartChild` started nothing. */
export type StartChildFailure =
  | { readonly ok: false; readonly code: 'start_failed'; readonly reason: ExitReason }
  | { readonly ok: false; readonly code: 'already_started'; readonly ref: Ref<never> }
  | { readonly ok: false; readonly code: 'already_present' | 'max_children' | 'not_found' | 'running' | 'restarting' }
  | { readonly ok: false; readonly code: 'bad_spec'; readonly problem: SpecProblem };

/** The result of starting a child; `ignore` if its actor had nothing to do. */
export type StartChildResult =
  | { readonly ok: true; readonly ref: Ref<never> }
  | { readonly ok: 'ignore' }
  | StartChildFailure;

/** The result of terminating or deleting a child. */
export type EndChildResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: 'not_found' | 'running' | 'restarting' };

/** One child as `whichChildren` shows it: its address, `stopped` without a life, or `restarting` while a retry is queued. */
export interface ChildView {
  readonly id: string;
  readonly type: 'worker' | 'supervisor';
  readonly child: Ref<never> | 'stopped' | 'restarting';
}

/** The numbers of a supervisor's children: all specs, those with a life, and both types. */
export interface ChildCounts {
  readonly specs: number;
  readonly active: number;
  readonly supervisors: number;
  readonly workers: number;
}

/** A child's spec, with defaults for the fields that it leaves out. */
export type ChildSpecResult =
  | { readonly ok: true; readonly spec: Required<ChildSpec> }
  | { readonly ok: false; readonly code: 'not_found' };

/** Questions that both kinds of supervisor answer. */
export type ManagementMessage =
  | { readonly type: 'start_child'; readonly spec: ChildSpec; readonly reply: Reply<StartChildResult> }
  | { readonly type: 'which_children'; readonly reply: Reply<readonly ChildView[]> }
  | { readonly type: 'count_children'; readonly reply: Reply<ChildCounts> };

/** Questions to a static supervisor about one child, by the id in its spec. */
export type ChildMessage =
  | { readonly type: 'terminate_child'; readonly child: string; readonly reply: Reply<EndChildResult> }
  | { readonly type: 'delete_child'; readonly child: string; readonly reply: Reply<EndChildResult> }
  | { readonly type: 'restart_child'; readonly child: string; readonly reply: Reply<StartChildResult> }
  | { readonly type: 'get_child_spec'; readonly child: string; readonly reply: Reply<ChildSpecResult> };

/** A question to a dynamic supervisor about one child, by its address. */
export interface TerminateByRef {
  readonly type: 'terminate_child';
  readonly child: Ref<never>;
  readonly reply: Reply<EndChildResult>;
}

/** Starts a child, which becomes the last in start order. */
export function startChild(supervisor: Ref<ManagementMessage>, spec: ChildSpec): Promise<StartChildResult> {
  return supervisor.ask<StartChildResult>((reply) => ({ type: 'start_child', spec, reply }), Infinity);
}

/**
 * Ends a child by its shutdown rule, without restarting it. A static supervisor (asked by id) keeps the spec unless the
 * child is temporary; a dynamic supervisor (asked by address) forgets the child.
 */
export function terminateChild(supervisor: Ref<ChildMessage>, child: string): Promise<EndChildResult>;
export function terminateChild(supervisor: Ref<TerminateByRef>, child: Ref<never>): Promise<EndChildResult>;
export function terminateChild(
  supervisor: Ref<ChildMessage | TerminateByRef>,
  child: string | Ref<never>,
): Promise<EndChildResult> {
  return supervisor.ask<EndChildResult>(
    (reply) =>
      typeof child === 'string' ? { type: 'terminate_child', child, reply } : { type: 'terminate_child', child, reply },
    Infinity,
  );
}

/** Starts a stopped child again; a failure is returned and not retried. */
export function restartChild(supervisor: Ref<ChildMessage>, child: string): Promise<StartChildResult> {
  return supervisor.ask<StartChildResult>((reply) => ({ type: 'restart_child', child, reply }), Infinity);
}

/** Deletes the spec of a stopped child. */
export function deleteChild(supervisor: Ref<ChildMessage>, child: string): Promise<EndChildResult> {
  return supervisor.ask<EndChildResult>((reply) => ({ type: 'delete_child', child, reply }), Infinity);
}

/** Returns the full spec of a child. */
export function getChildSpec(supervisor: Ref<ChildMessage>, child: string): Promise<ChildSpecResult> {
  return supervisor.ask<ChildSpecResult>((reply) => ({ type: 'get_child_spec', child, reply }), Infinity);
}

/** Lists the children, latest started first; in no order for a dynamic supervisor. */
export function whichChildren(supervisor: Ref<ManagementMessage>): Promise<readonly ChildView[]> {
  return supervisor.ask<readonly ChildView[]>((reply) => ({ type: 'which_children', reply }), Infinity);
}

/** Counts the children: specs, active ones, and specs by type. */
export function countChildren(supervisor: Ref<ManagementMessage>): Promise<ChildCounts> {
  return supervisor.ask<ChildCounts>((reply) => ({ type: 'count_children', reply }), Infinity);
}
