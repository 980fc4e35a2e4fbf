import { type DueInputs, nextDueAt, recheckDeadline } from '../schedule/next-due.ts';
import type { TargetRow } from '../store/rows.ts';

/** One target of a project that is to be scraped some day. */
export interface AgendaEntry {
  readonly target: TargetRow;
  /** When to scrape it, or to give it another chance when it is parked; missing while nothing is planned. Wall time. */
  readonly dueAt?: number;
  /** By when it has to be verified, where it has come to be due for the sake of that. */
  readonly deadlineAt?: number;
}

/** When a target's turn comes: a parked one at its retry, any other when all that decides about it says, or never without. */
export function agendaEntry(target: TargetRow, inputs: DueInputs | undefined): AgendaEntry {
  if (target.status === 'parked')
    return target.parked === undefined ? { target } : { target, dueAt: target.parked.retryAt };
  const dueAt = inputs && nextDueAt(inputs);
  if (inputs === undefined || dueAt === undefined) return { target };
  const deadlineAt = recheckDeadline(inputs);
  return { target, dueAt, ...(deadlineAt !== undefined && { deadlineAt }) };
}

type Due = Pick<AgendaEntry, 'deadlineAt'> & { readonly dueAt: number };

/**
 * Those that are due at one site: re-checks by their deadlines and everything else by when it was due, in turn, so that few of
 * very many have both wait for their host, which shares its turns between them.
 *
 * @param first - whose turn it is, if any of them wait.
 */
export function inTurn<D extends Due>(due: readonly D[], first: 'rechecks' | 'others'): D[] {
  const rechecks = due
    .filter(({ deadlineAt }) => deadlineAt !== undefined)
    .sort((a, b) => (a.deadlineAt ?? Infinity) - (b.deadlineAt ?? Infinity));
  const others = due.filter(({ deadlineAt }) => deadlineAt === undefined).sort((a, b) => a.dueAt - b.dueAt);
  const [one, other] = first === 'rechecks' ? [rechecks, others] : [others, rechecks];
  const pairs = Array.from({ length: Math.max(one.length, other.length) }, (_, place) => [one[place], other[place]]);
  return pairs.flat().filter((each) => each !== undefined);
}
