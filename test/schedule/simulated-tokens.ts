import assert from 'node:assert/strict';
import { priorityOf } from '../../src/schedule/priority.ts';
import type { TargetRow } from '../../src/store/tables/rows.ts';
import type { ScheduleRow } from '../../src/schedule/row.ts';

const dayMs = 86_400_000;
const cap = 4;
const perDay = 3;
/** The priority of what always has something new. */
const highest = 1.75;

/** What a day's plan gave a target. */
interface Granted {
  readonly day: number;
  readonly scrapes: number;
  /** Whether nothing but the highest priority had a say in it. */
  readonly isPlain: boolean;
}

/** The tokens of one target, kept beside the daemon: what its rows have must be the same at each turn and after each plan. */
export class TokenAccount {
  #day: number;
  #kept = 0;
  #planned: readonly number[] = [];
  /** Whether the scrape that runs, or is to come as the first one, was paid for before. */
  #isPaid = true;
  /** Since the beginning. */
  #sums = { granted: 1, cut: 0, spent: 0 };
  readonly #days: Granted[] = [];

  /** @param at - its creation, wall time: it has one token, for its first scrape. */
  constructor(at: number) {
    this.#day = Math.floor(at / dayMs);
  }

  /** Instants that are paid for and to come, wall time. */
  get planned(): readonly number[] {
    return this.#planned;
  }

  get spent(): number {
    return this.#sums.spent;
  }

  /** The turns of a day, if one was planned since this was last called. */
  plan(target: TargetRow, row: ScheduleRow, at: number): readonly number[] | undefined {
    const { bucket, planned } = paceOf(row);
    const day = Math.floor(at / dayMs);
    if (bucket.day === this.#day) {
      // That day was planned before, or the one after it, when the clock was set back.
      this.#matches(row);
      return undefined;
    }
    assert.equal(bucket.day, day, 'the day that has begun is the one that is planned');
    assert.notEqual(
      day,
      this.#day - 1,
      'a day that was planned, before the clock was set back over midnight, is not planned again',
    );
    const isSpending = target.running !== undefined && this.#planned.length > 0;
    const unspent = this.#planned.length - (isSpending ? 1 : 0);
    const days = Math.max(0, day - this.#day);
    const priority = priorityOf(target.found ?? []);
    const back = Math.min(cap, this.#kept + unspent);
    const all = Math.min(cap, back + days * priority);
    const isResting = row.firstAt !== undefined || days === 0;
    const scrapes = isResting ? 0 : Math.min(perDay, Math.floor(all + 1e-6));
    assert.equal(planned.length, scrapes, 'a day pays for what is whole, and for three at most');
    this.#sums.granted += days * priority;
    this.#sums.cut += this.#kept + unspent + days * priority - all;
    this.#days.push({ day, scrapes, isPlain: priority === highest && days === 1 && unspent === 0 && back < 1 });
    if (isSpending) this.#isPaid = true;
    this.#kept = all - scrapes;
    this.#day = day;
    this.#planned = planned;
    this.#matches(row);
    this.#fourDays();
    return planned;
  }

  /** A scrape is over: what fell due until now is one turn, and only that is paid for. */
  ended(row: ScheduleRow, at: number, wasSetBack: boolean): void {
    const over = this.#planned.filter((each) => each <= at).length;
    assert.ok(this.#isPaid || over > 0 || wasSetBack, 'nothing is scraped that no token paid for');
    const back = this.#isPaid ? over : over - 1;
    const kept = Math.min(cap, this.#kept + Math.max(0, back));
    this.#sums.spent += 1;
    this.#sums.cut += this.#kept + back - kept;
    this.#kept = kept;
    this.#planned = this.#planned.filter((each) => each > at);
    this.#isPaid = false;
    this.#matches(row);
  }

  /** What was granted was spent, or is kept for what is to come; of what the cap cuts nothing is left. */
  balances(): void {
    const { granted, cut, spent } = this.#sums;
    const left = this.#kept + this.#planned.length + (this.#isPaid ? 1 : 0);
    assert.ok(Math.abs(granted - cut - spent - left) < 1e-3, `${granted} - ${cut} - ${spent} is not ${left}`);
    assert.ok(this.#kept >= 0 && this.#kept <= cap);
  }

  #matches(row: ScheduleRow): void {
    const { bucket, planned } = paceOf(row);
    assert.ok(Math.abs(bucket.tokens - this.#kept) < 1e-6, `${bucket.tokens} tokens: expected ${this.#kept}`);
    assert.deepEqual(planned, this.#planned);
  }

  /** With 1.75 a day, any four days in a row have 1, 2, 2 and 2 scrapes, in some turn. */
  #fourDays(): void {
    const last = this.#days.slice(-4);
    this.#days.splice(0, this.#days.length - 4);
    const [first] = last;
    if (first === undefined || last.length < 4) return;
    if (!last.every(({ day, isPlain }, k) => isPlain && day === first.day + k)) return;
    assert.deepEqual(
      last.map(({ scrapes }) => scrapes).toSorted((a, b) => a - b),
      [1, 2, 2, 2],
    );
  }
}

function paceOf({ target, pace }: ScheduleRow): Extract<ScheduleRow['pace'], { readonly kind: 'tokens' }> {
  if (pace.kind !== 'tokens') assert.fail(`target ${target} is not scraped by tokens`);
  return pace;
}
