import { ExitError, isNormal, isShutdown } from './errors.ts';
import type { ChildSpec, ExitReason, Restart, SpecProblem } from './types.ts';

export type AutoShutdown = 'never' | 'any_significant' | 'all_significant';

export function restartOf(spec: ChildSpec): Restart {
  return spec.restart ?? 'permanent';
}

export function typeOf(spec: ChildSpec): 'worker' | 'supervisor' {
  return spec.type ?? 'worker';
}

export function shutdownOf(spec: ChildSpec): number | 'infinity' | 'brutal_kill' {
  return spec.shutdown ?? (spec.type === 'supervisor' ? 'infinity' : 5_000);
}

/** A spec with every field: those left out take OTP's defaults. */
export function fullSpecOf(spec: ChildSpec): Required<ChildSpec> {
  const [restart, shutdown, type] = [restartOf(spec), shutdownOf(spec), typeOf(spec)];
  return { ...spec, restart, shutdown, type, significant: spec.significant ?? false };
}

/** Whether a child that ended by itself is to be restarted. */
export function mustRestart(spec: ChildSpec, reason: ExitReason): boolean {
  const restart = restartOf(spec);
  return restart === 'permanent' || (restart === 'transient' && !isNormal(reason));
}

/** Whether such an end is worth a report: a permanent child should not end at all, the others not abnormally. */
export function isReported(spec: ChildSpec, reason: ExitReason): boolean {
  return restartOf(spec) === 'permanent' || !isNormal(reason);
}

/** Whether a child of a static supervisor ended as one that is shut down should. */
export function isCleanEnd(spec: ChildSpec, reason: ExitReason): boolean {
  const expected = shutdownOf(spec) === 'brutal_kill' ? 'killed' : 'shutdown';
  return reason === expected || (restartOf(spec) !== 'permanent' && isNormal(reason));
}

/** The same for a dynamic supervisor, which asks for a little more, above all of a child that had ended before it was told to. */
export function isCleanDynamicEnd(spec: ChildSpec, reason: ExitReason, when: 'before' | 'after'): boolean {
  if (when === 'after' && shutdownOf(spec) === 'brutal_kill') return reason === 'killed';
  if (when === 'after' && isShutdown(reason)) return true;
  return reason === 'normal' && restartOf(spec) !== 'permanent';
}

/** Types rule out most of this, but specs are made at run time too. */
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

/** Throws when a list of children, in which each id must be unique, has a fault. */
export function refuseBadChildren(children: readonly ChildSpec[], autoShutdown: AutoShutdown): void {
  const ids = new Set<string>();
  for (const spec of children) {
    const problem = childProblem(spec, autoShutdown);
    if (problem !== undefined) throw new ExitError(['start_spec', problem]);
    if (ids.has(spec.id)) throw new ExitError(['start_spec', ['duplicate_child_name', spec.id]]);
    ids.add(spec.id);
  }
}

/** Throws when a supervisor is given a restart intensity that is none; a period is one of whole seconds. */
export function refuseBadIntensity(intensity: number, periodMs: number): void {
  if (!isCount(intensity)) refuseFlag('invalid_intensity', intensity);
  if (!(periodMs > 0 && isCount(periodMs / 1_000))) refuseFlag('invalid_period', periodMs);
}

/** Ends the start of a supervisor that is told to work in a way there is none of. */
export function refuseFlag(problem: string, value: unknown): never {
  throw new ExitError(['supervisor_data', [problem, value]]);
}

/** Whether it is a whole number from 0 on. */
export function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}
