import type { DueTimes } from '../schedule/due-times.ts';
import type { Catalogue } from '../definition/catalogue.ts';
import { type DueInputs, nextDueAt, recheckDeadline } from '../schedule/next-due.ts';
import { ownerOf } from '../schedule/watchers.ts';
import { statusFor } from '../store/tables/project-status.ts';
import type { TargetRow } from '../store/tables/rows.ts';
import type { Store } from '../store/store.ts';
import { defined } from '../defined.ts';

/** A target of a project, with its due time. */
export interface AgendaEntry {
  /** With its running scrape, also one that is only in memory. */
  readonly target: TargetRow;
  /** When to scrape the target, or to retry a parked one, wall time; missing while nothing is planned. */
  readonly dueAt?: number;
  /** When the target ends by what its records say, without a scrape, wall time. It is due then at the latest. */
  readonly endsAt?: number;
  /** When the target must be verified at the latest, wall time; set where it is due for its objective. */
  readonly deadlineAt?: number;
}

/** The dependencies of the agenda. */
export interface AgendaDeps {
  store(): Pick<Store, 'projects' | 'targets' | 'scrapes' | 'schedule'>;
  catalogue(): Catalogue;
  /** Why scraping is paused, while it is. */
  paused(): string | undefined;
  readonly dues: Pick<DueTimes, 'inputsOf'>;
}

/**
 * The targets of a project that are active or parked; empty for a project that is archived or unknown. Those that another project scrapes
 * have no due time.
 *
 * @param only - the number of the one target that is wanted. Default: all.
 */
export type Agenda = (project: string, only?: number) => readonly AgendaEntry[];

/**
 * Opens the agenda. While scraping is paused, its entries have no due time, nor has an active target whose source is not loaded.
 */
export function createAgenda({ store, catalogue, paused, dues }: AgendaDeps): Agenda {
  return (project, only) => {
    const projectRow = store().projects.get(project);
    if (projectRow === undefined || projectRow.status === 'archived') return [];
    const isPaused = paused() !== undefined;
    const wanted = only === undefined ? projectRow.targets : projectRow.targets.filter((number) => number === only);
    return wanted.flatMap((number) => {
      const row = store().targets.get(number);
      const status = row && statusFor(project, row);
      if (row === undefined || (status !== 'active' && status !== 'parked')) return [];
      if (ownerOf(row) !== project) return [{ target: row }];
      const running = store().scrapes.runningOf(row)?.scrape;
      const target = running === row.running ? row : { ...row, ...defined({ running }) };
      // A parked target too, as its release is a write.
      if (isPaused) return [{ target }];
      const isLoaded = catalogue().sources.has(target.source);
      const entry = agendaEntry(target, isLoaded ? dues.inputsOf(target) : undefined);
      const endsAt = isLoaded ? store().schedule.get(number)?.endsAt : undefined;
      return [endsAt === undefined ? entry : { ...entry, endsAt, dueAt: Math.min(endsAt, entry.dueAt ?? Infinity) }];
    });
  };
}

/**
 * The entry of one target. A parked target is due at its retry.
 *
 * @param inputs - of the target's schedule; `undefined` leaves an active target without a due time.
 */
export function agendaEntry(target: TargetRow, inputs: DueInputs | undefined): AgendaEntry {
  if (target.status === 'parked')
    return target.parked === undefined ? { target } : { target, dueAt: target.parked.retryAt };
  const dueAt = inputs && nextDueAt(inputs);
  if (inputs === undefined || dueAt === undefined) return { target };
  const deadlineAt = recheckDeadline(inputs);
  return { target, dueAt, ...defined({ deadlineAt }) };
}

type Due = Pick<AgendaEntry, 'deadlineAt'> & { readonly dueAt: number };

/**
 * The order in which the due targets of one site are scraped: re-checks by their deadlines and all others by their due times, one of
 * each kind alternately. A project scrapes few of its targets at a time, and the host shares its turns between both kinds.
 *
 * @param first - the kind that begins.
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
