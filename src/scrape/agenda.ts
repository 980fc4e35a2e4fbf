import { type DueInputs, nextDue } from '../schedule/next-due.ts';
import type { TargetRow } from '../store/rows.ts';

/** One target of a project that is to be scraped some day. */
export interface AgendaEntry {
  readonly target: TargetRow;
  /** When to scrape it, or to give it another chance when it is parked; missing while nothing is planned. Wall time. */
  readonly dueAt?: number;
}

/** When a target's turn comes: a parked one at its retry, any other when all that decides about it says, or never without. */
export function agendaEntry(target: TargetRow, inputs: DueInputs | undefined): AgendaEntry {
  if (target.status === 'parked')
    return target.parked === undefined ? { target } : { target, dueAt: target.parked.retryAt };
  const dueAt = inputs && nextDue(inputs).dueAt;
  return { target, ...(dueAt !== undefined && { dueAt }) };
}
