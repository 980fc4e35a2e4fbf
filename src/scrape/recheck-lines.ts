import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { DueTimes } from '../schedule/due-times.ts';
import { latestBegin, recordSpacing } from '../schedule/feasibility.ts';
import type { EffectiveSchedule } from '../schedule/row.ts';
import { nextAvailable } from '../schedule/time/open-hours.ts';
import { countedFrom, deadlineOf, paceOfObjective, type TargetObjective } from '../schedule/time/objective.ts';
import { scrapable } from '../store/scrapes.ts';
import type { ItemPages } from '../provider/provider.ts';
import { targetsOfSources } from '../store/slices.ts';
import type { Store } from '../store/store.ts';
import type { AgedRecord } from '../store/tables/ages.ts';

/** A record that is due for an objective. */
export interface DueRecord extends AgedRecord {
  readonly target: number;
  /** Empty for the record as a whole. */
  readonly field: string;
  readonly objectiveMs: number;
  readonly deadlineAt: number;
}

/** The records of a source that are due, and when the next one is. */
interface Look {
  /** The nearest deadlines first. */
  readonly due: readonly DueRecord[];
  /** Wall time; missing where no record has an objective. */
  readonly nextAt?: number;
}

/** The records of one target and objective, as they were when all of them were last looked at. */
interface Line {
  /** The latest instant at which their re-checks can begin. */
  readonly beginAt: number;
  /** The time between two re-checks. */
  readonly gapMs: number;
  /** How long before its deadline a record is re-checked at most. */
  readonly leadMs: number;
  readonly lookedAt: number;
  readonly objectiveMs: number;
  readonly records: number;
  /** Re-checks since then. */
  asked: number;
}

/** The objective of a line, and the records that re-checks missed. */
interface LineOf {
  readonly objective: TargetObjective;
  readonly objectiveMs: number;
  readonly missed: ReadonlyMap<number, unknown>;
}

/** Records that a round re-checks at most. */
const roundSize = 64;
/** After re-checks of a tenth of its records, and of a round of them at least, all records of a line are looked at again. */
const lookedAfter = 10;
/** After so long all records of a line are looked at again, in milliseconds. */
const lookEveryMs = 60_000;
/** The time after which a target is looked at again whose season has just begun or ended, in milliseconds. */
const seasonLagMs = 1_000;
/** Records that are looked at in one go: a millisecond of the event loop. */
const lookedAtOnce = 1_000;

/** The dependencies of the lines. */
export interface RecheckLinesDeps {
  readonly clock: Clock;
  store(): Store;
  readonly dues: Pick<DueTimes, 'scheduleOf'>;
}

/**
 * Finds the records that are due for their objectives. Of all records of a target, the re-checks begin as late as the host allows with
 * each still over by its deadline, and follow one another at that pace: so a record is asked for hardly more often than its objective needs.
 * Where the host does not allow the objective, each record is due a tenth of the objective before its deadline.
 */
export class RecheckLines {
  readonly #deps: RecheckLinesDeps;
  readonly #lines = new Map<string, Line>();

  constructor(deps: RecheckLinesDeps) {
    this.#deps = deps;
  }

  /**
   * The records of a source that are due now, up to 64.
   *
   * @param items - tells which fields are of pages of the records' own.
   */
  async look(source: string, items?: Pick<ItemPages, 'hasField'>): Promise<Look> {
    const { clock, store } = this.#deps;
    const due: DueRecord[] = [];
    let nextAt = Infinity;
    for await (const numbers of targetsOfSources(store(), [source]))
      for (const number of numbers) {
        const { fresh, seasonAt } = store().schedule.get(number) ?? {};
        // The planner may still have to follow a season that has just begun.
        if (seasonAt !== undefined) nextAt = Math.min(nextAt, Math.max(seasonAt, clock.now() + seasonLagMs));
        const found = fresh?.records === undefined ? undefined : scrapable(store(), number);
        if (found?.ok !== true) continue;
        const schedule = this.#deps.dues.scheduleOf(found.target);
        const opensAt = nextAvailable(schedule.hours, clock.now()) ?? Infinity;
        if (opensAt > clock.now()) nextAt = Math.min(nextAt, opensAt);
        else nextAt = Math.min(nextAt, await this.#lookAt(number, schedule, { due, items }));
      }
    due.sort((a, b) => a.deadlineAt - b.deadlineAt);
    return { due: due.slice(0, roundSize), ...(nextAt < Infinity && { nextAt }) };
  }

  /** Notes that a record was asked for. */
  asked({ target, field }: DueRecord): void {
    const line = this.#lines.get(nameOf(target, field));
    if (line !== undefined) line.asked += 1;
  }

  /** Adds the records of a target that are due. Resolves with when the next one is. */
  async #lookAt(
    target: number,
    schedule: EffectiveSchedule,
    { due, items }: { readonly due: DueRecord[]; readonly items: Pick<ItemPages, 'hasField'> | undefined },
  ): Promise<number> {
    const { clock, store } = this.#deps;
    const allMissed = [...store().ages.missed(target)];
    let nextAt = Infinity;
    for (const objective of schedule.objectives) {
      const { field } = objective;
      const page = items?.hasField(undefined, field) === true ? 'own' : 'list';
      // A record as a whole needs both of its pages.
      const missed = new Map(allMissed.filter(([, row]) => field === '' || row.page === page));
      const objectiveMs = paceOfObjective(objective);
      const line = await this.#lineOf(target, { objective, objectiveMs, missed }, schedule);
      const now = clock.now();
      let place = line.asked;
      for (const aged of store().ages.inOrder(target, field, { limit: roundSize + missed.size })) {
        const deadlineAt = deadlineOf(countedFrom(aged.verifiedAt, objective), objectiveMs);
        const retryAt = missed.get(aged.record)?.retryAt;
        const dueAt = retryAt ?? Math.max(line.beginAt + place * line.gapMs, deadlineAt - line.leadMs);
        if (retryAt === undefined) place += 1;
        if (dueAt <= now) due.push({ ...aged, target, field, objectiveMs, deadlineAt });
        else nextAt = Math.min(nextAt, dueAt);
        if (dueAt > now && retryAt === undefined) break;
      }
    }
    // Records may come meanwhile, or the pace of the host may change.
    return nextAt === Infinity ? nextAt : Math.min(nextAt, clock.now() + lookEveryMs);
  }

  async #lineOf(target: number, of: LineOf, schedule: EffectiveSchedule): Promise<Line> {
    const name = nameOf(target, of.objective.field);
    const now = this.#deps.clock.now();
    const known = this.#lines.get(name);
    const isCurrent =
      known !== undefined &&
      known.objectiveMs === of.objectiveMs &&
      known.beginAt < Infinity &&
      known.asked < Math.max(roundSize, known.records / lookedAfter) &&
      now - known.lookedAt < lookEveryMs &&
      now >= known.lookedAt;
    if (isCurrent) return known;
    const line = await this.#madeLine(target, of, schedule);
    this.#lines.set(name, line);
    return line;
  }

  /** Looks at all records of a target, with breaks in which other work gets its turn. Those that re-checks missed have due times of their own. */
  async #madeLine(
    target: number,
    { objective, objectiveMs, missed }: LineOf,
    schedule: EffectiveSchedule,
  ): Promise<Line> {
    const { clock, store } = this.#deps;
    const { field } = objective;
    const lookedAt = clock.now();
    const deadlines: number[] = [];
    let after: AgedRecord | undefined;
    do {
      const slice = [...store().ages.inOrder(target, field, { after, limit: lookedAtOnce })];
      for (const { verifiedAt, record } of slice)
        if (!missed.has(record)) deadlines.push(deadlineOf(countedFrom(verifiedAt, objective), objectiveMs));
      after = slice.length < lookedAtOnce ? undefined : slice.at(-1);
      if (after !== undefined) await setImmediate();
    } while (after !== undefined);
    const { fresh } = store().schedule.get(target) ?? {};
    const spacing = recordSpacing(
      {
        shortestMs: fresh?.objectiveMs ?? objectiveMs,
        objectiveMs,
        hours: fresh?.hours,
        records: deadlines.length,
        pages: fresh?.records?.pages ?? deadlines.length,
      },
      schedule.host,
      store().schedule.demandsOn(schedule.key, objectiveMs),
    );
    const { gapMs, slackMs, leadMs } = spacing;
    const beginAt = latestBegin(deadlines, gapMs) - slackMs;
    return { beginAt, gapMs, leadMs, lookedAt, objectiveMs, records: deadlines.length, asked: 0 };
  }
}

function nameOf(target: number, field: string): string {
  return `${target} ${field}`;
}
