import { ExitError, isNormal, isShutdown } from './errors.ts';
import type { ChildSpec, ExitReason, Restart, SpecProblem } from './types.ts';

/** When the end of significant children ends their supervisor, in OTP's words. */
export type AutoShutdown = 'never' | 'any_significant' | 'all_significant';

/** Returns when a child is restarted. Default `permanent`. */
export function restartOf(spec: ChildSpec): Restart {
  return spec.restart ?? 'permanent';
}

/** Returns what a child is. Default `worker`. */
export function typeOf(spec: ChildSpec): 'worker' | 'supervisor' {
  return spec.type ?? 'worker';
}

/** Returns how a child is ended, or the milliseconds that it has to stop. Default 5,000, for supervisors `infinity`. */
export function shutdownOf(spec: ChildSpec): number | 'infinity' | 'brutal_kill' {
  return spec.shutdown ?? (spec.type === 'supervisor' ? 'infinity' : 5_000);
}

/**
 * A copy of a spec, so that what is changed in the original later has no effect. A value that is no object stays as it is,
 * for `childProblem` to refuse.
 */
export function copyOfSpec(spec: ChildSpec): ChildSpec {
  return typeof spec === 'object' && spec !== null ? { ...spec, id: spec.id, start: spec.start } : spec;
}

/** A spec with every field: those left out take OTP's defaults. */
export function fullSpecOf(spec: ChildSpec): Required<ChildSpec> {
  const [restart, shutdown, type] = [restartOf(spec), shutdownOf(spec), typeOf(spec)];
  return { ...spec, restart, shutdown, type, significant: spec.significant ?? false };
}

/** Whether a child that ended by itself with `reason` is to be restarted. */
export function mustRestart(spec: ChildSpec, reason: ExitReason): boolean {
  const restart = restartOf(spec);
  return restart === 'permanent' || (restart === 'transient' && !isNormal(reason));
}

/** Whether the end of a child by itself is reported: always for a permanent child, else only if `reason` is not normal. */
export function isReported(spec: ChildSpec, reason: ExitReason): boolean {
  return restartOf(spec) === 'permanent' || !isNormal(reason);
}

/** Whether a child that a static supervisor shut down ended as it should. */
export function isCleanEnd(spec: ChildSpec, reason: ExitReason): boolean {
  const expected = shutdownOf(spec) === 'brutal_kill' ? 'killed' : 'shutdown';
  return reason === expected || (restartOf(spec) !== 'permanent' && isNormal(reason));
}

/** Whether a child that a dynamic supervisor shut down ended as it should; `when` says whether it ended before it was told to, where only `normal` will do. */
export function isCleanDynamicEnd(spec: ChildSpec, reason: ExitReason, when: 'before' | 'after'): boolean {
  if (when === 'after' && shutdownOf(spec) === 'brutal_kill') return reason === 'killed';
  if (when === 'after' && isShutdown(reason)) return true;
  return reason === 'normal' && restartOf(spec) !== 'permanent';
}

/** The first fault of a spec in OTP's words, or `undefined`. Types rule out most faults, but specs are made at run time too. */
export function childProblem(spec: ChildSpec, autoShutdown: AutoShutdown): SpecProblem | undefined {
  if (typeof spec !== 'object' || spec === null) return ['invalid_child_spec', spec];
  const { id, significant } = spec;
  const [restart, shutdown, type] = [restartOf(spec), shutdownOf(spec), typeOf(spec)];
  if (id === undefined) return ['missing_id', spec];
  if (typeof id !== 'string') return ['invalid_id', id];
  if (spec.start === undefined) return ['missing_start', spec];
  if (typeof spec.start !== 'function') return ['invalid_mfa', spec];
  if (!['permanent', 'transient', 'temporary'].includes(restart)) return ['invalid_restart_type', restart];
  if (shutdown !== 'infinity' && shutdown !== 'brutal_kill' && !isCount(shutdown))
    return ['invalid_shutdown', shutdown];
  if (type !== 'worker' && type !== 'supervisor') return ['invalid_child_type', type];
  if (significant !== undefined && typeof significant !== 'boolean') return ['invalid_significant', significant];
  if (significant && autoShutdown === 'never') return ['bad_combination', { autoShutdown, significant }];
  if (significant && restart === 'permanent') return ['bad_combination', { restart, significant }];
  return undefined;
}

/** Throws an `ExitError` if a spec of a static supervisor's list has a fault, or if two have one id. */
export function refuseBadChildren(children: readonly ChildSpec[], autoShutdown: AutoShutdown): void {
  const ids = new Set<string>();
  for (const spec of children) {
    const problem = childProblem(spec, autoShutdown);
    if (problem !== undefined) throw new ExitError(['start_spec', problem]);
    if (ids.has(spec.id)) throw new ExitError(['start_spec', ['duplicate_child_name', spec.id]]);
    ids.add(spec.id);
  }
}

/** Throws the `ExitError` of a supervisor whose flag has an invalid value. */
export function refuseFlag(problem: string, value: unknown): never {
  throw new ExitError(['supervisor_data', [problem, value]]);
}

/** Whether a value is a whole number from 0 on. */
export function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}
