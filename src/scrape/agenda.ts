import { type Boot, dueAfterBoot } from '../schedule/grid.ts';
import type { ScheduleRow, TargetRow } from '../store/rows.ts';

/** One target of a project that is to be scraped some day. */
export interface AgendaEntry {
  readonly target: TargetRow;
  /** When to scrape it, or to give it another chance when it is parked; missing while nothing is planned. Wall time. */
  readonly dueAt?: number;
}

export interface AgendaInputs {
  readonly boot: Boot;
  readonly initialDelayMs: number;
  /** Whether its source is loaded. */
  readonly isReadable: boolean;
}

/**
 * When a target's turn comes: a parked one at its retry, one that a person asked for at once, one that fell due while the
 * daemon was down spread over the time after its start, any other when its schedule says; but after a crash not before the
 * initial delay has passed again.
 */
export function agendaEntry(
  target: TargetRow,
  schedule: ScheduleRow | undefined,
  { boot, initialDelayMs, isReadable }: AgendaInputs,
): AgendaEntry {
  if (target.status === 'parked')
    return target.parked === undefined ? { target } : { target, dueAt: target.parked.retryAt };
  if (schedule === undefined || !isReadable) return { target };
  const { dueAt, manualAt, grid } = schedule;
  const { inRow, recent } = target.crashes;
  const notBefore = inRow === 0 ? 0 : (recent.at(-1) ?? 0) + initialDelayMs;
  return {
    target,
    dueAt: Math.max(notBefore, Math.min(manualAt ?? Infinity, dueAfterBoot(dueAt, boot, grid.everyMs, target.target))),
  };
}
