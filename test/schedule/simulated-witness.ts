import { objectiveSets } from '../../src/schedule/time/ages.ts';
import assert from 'node:assert/strict';
import { FreshnessCensus } from '../../src/schedule/freshness-census.ts';
import { nearness } from './time/nearness.ts';
import type { ScheduleRow } from '../../src/schedule/row.ts';
import type { Store } from '../../src/store/store.ts';
import { HostLog } from './simulated-hosts.ts';
import { PaceWatch } from './simulated-pace.ts';
import { TokenAccount } from './simulated-tokens.ts';
import { Excuses, type Span, wallAt, type World } from './simulated-world.ts';
import type { SimTarget, Witness } from './simulated-year.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** What is told of one objective, and how often. */
type Level = 'fresh' | 'warn' | 'error';

interface Seen {
  readonly target: SimTarget;
  readonly watch: PaceWatch;
  readonly account: TokenAccount | undefined;
  level: Level;
  turns: number;
}

export interface YearOptions {
  readonly world: World;
  readonly targets: readonly SimTarget[];
  /** By host, the pause between two requests. */
  readonly delaysMs: readonly number[];
  /** Called after each day that was looked at. */
  onDay(): void;
}

/** Holds all that a daemon does against what it has to do, at each turn, after each plan and on each day. */
export class Year implements Witness {
  readonly #world: World;
  readonly #onDay: () => void;
  readonly #seen: readonly Seen[];
  readonly #hosts: readonly HostLog[];
  #store: Store | undefined;
  /** What there was to look at. */
  readonly counts = { turns: 0, days: 0, plans: 0, breaches: 0, balances: 0 };

  constructor({ world, targets, delaysMs, onDay }: YearOptions) {
    this.#world = world;
    this.#onDay = onDay;
    this.#hosts = delaysMs.map((delayMs) => new HostLog(delayMs));
    const perHost = Map.groupBy(targets, ({ host }) => host);
    const excuses = delaysMs.map((delayMs, host) =>
      excusesOf(world, host, roundMs(delayMs, perHost.get(host)?.length ?? 0)),
    );
    const slots = new Map<string, number>();
    this.#seen = targets.map((target) => {
      const { host, kind, schedule } = target;
      const grid = `${host} ${schedule.every ?? 0}`;
      const slot = slots.get(grid) ?? 0;
      slots.set(grid, slot + 1);
      const patienceMs = 5 * minuteMs + 30 * (delaysMs[host] ?? 0);
      const own = excuses[host] ?? new Excuses([]);
      const watched = { world, target, slot, firstAt: world.from + 1_000, excuses: own, patienceMs };
      return {
        target,
        watch: new PaceWatch(watched, world.from),
        account: kind === 'tokens' ? new TokenAccount(world.from) : undefined,
        level: 'fresh',
        turns: 0,
      };
    });
  }

  begun(at: number, store: Store): void {
    this.#store = store;
    for (const host of this.#hosts) host.begun(at);
  }

  began(target: number, at: number): void {
    this.#of(target).watch.began(at);
  }

  asked(target: number, at: number): void {
    const { watch, target: of } = this.#of(target);
    this.#hosts[of.host]?.asked(at);
    watch.asked(at);
  }

  answered(target: number): void {
    this.#hosts[this.#of(target).target.host]?.answered();
  }

  ended(target: number, at: number, isOk: boolean): void {
    const seen = this.#of(target);
    const { account, watch } = seen;
    seen.turns += 1;
    this.counts.turns += 1;
    account?.ended(this.#row(target), wallAt(this.#world, at), watch.wasSetBack(at));
    watch.ended(at, isOk, account?.planned ?? []);
  }

  planned(at: number): void {
    const wall = wallAt(this.#world, at);
    const byHost = new Map<number, { readonly target: number; readonly dueAt: number }[]>();
    for (const { target, account, watch } of this.#seen) {
      if (account === undefined) continue;
      const row = this.#store?.targets.get(target.target);
      const instants = row && account.plan(row, this.#row(target.target), wall);
      if (instants === undefined) continue;
      watch.planned(instants, at);
      const turns = byHost.get(target.host) ?? [];
      byHost.set(target.host, turns);
      for (const dueAt of instants) turns.push({ target: target.target, dueAt });
    }
    for (const turns of byHost.values()) this.#isSpread(turns, wall);
  }

  told(type: string, target: number): void {
    const [, what] = /^objective\.(warn|error|recovered)$/.exec(type) ?? [];
    if (what === undefined) return;
    const seen = this.#of(target);
    const next = what === 'recovered' ? 'fresh' : (what as Level);
    const isRise = next === 'error' || (next === 'warn' && seen.level === 'fresh');
    assert.ok(seen.level !== next && (next === 'fresh' || isRise), `${seen.level}, then ${what}: each is told once`);
    if (next === 'error') this.counts.breaches += 1;
    seen.level = next;
  }

  day(at: number): void {
    this.counts.days += 1;
    const wall = wallAt(this.#world, at);
    // For a day after it the ages by the wall clock are other ones.
    const isSteady = this.#world.steps.every((step) => step.at > at || step.at < at - 3 * dayMs);
    const census = new FreshnessCensus(wall);
    let [promised, within] = [0, 0];
    for (const { target, watch, account, level, turns } of this.#seen) {
      watch.isLate(at);
      if (account !== undefined) {
        account.balances();
        this.counts.balances += 1;
        assert.equal(account.spent, turns);
      }
      const { objectiveMs } = watch;
      if (objectiveMs === undefined || !isSteady) continue;
      const ageMs = at - watch.verifiedAt;
      const { objective, objectives } = target.schedule;
      const errorMs = (objective ?? (objectives && objectiveSets(objectives)[0]))?.errorAfter ?? Infinity;
      const expected = ageMs > errorMs ? 'error' : ageMs > objectiveMs ? 'warn' : 'fresh';
      assert.equal(level, expected, `target ${target.target}, unverified for ${ageMs} ms`);
      census.add(this.#row(target.target).fresh?.verifiedAt ?? 0, objectiveMs);
      promised += 1;
      if (ageMs <= objectiveMs) within += 1;
    }
    if (promised > 0) assert.equal(census.report().shareWithin, within / promised);
    this.#onDay();
  }

  /** All turns that were planned for a host at once lie evenly in what is left of the day, repeats of a target apart. */
  #isSpread(turns: { readonly target: number; readonly dueAt: number }[], at: number): void {
    if (turns.length === 0) return;
    this.counts.plans += 1;
    turns.sort((a, b) => a.dueAt - b.dueAt);
    const [from, to] = [at + 30_000, (Math.floor(at / dayMs) + 1) * dayMs];
    for (const [k, { dueAt }] of turns.entries()) {
      const expected = from + ((k + 1) * (to - from)) / (turns.length + 1);
      assert.ok(Math.abs(dueAt - expected) <= 1, `turn ${k} of ${turns.length} is ${dueAt - expected} ms off`);
    }
    const order = turns.map(({ target }) => target);
    const least = [...Map.groupBy(order, (target) => target).values()].reduce(
      (sum, { length }) => sum + (length - 1) ** 2 / Math.max(1, order.length - 1),
      0,
    );
    assert.ok(nearness(order) <= 2 * least + 1e-9, `repeats are ${nearness(order)} near, of ${least} at least`);
  }

  #row(target: number): ScheduleRow {
    return this.#store?.schedule.get(target) ?? assert.fail(`target ${target} is not scheduled`);
  }

  #of(target: number): Seen {
    return this.#seen[target - 1] ?? assert.fail(`nobody tracks target ${target}`);
  }
}

/** Once round all targets of a host takes so long. */
function roundMs(delayMs: number, targets: number): number {
  return targets * (1.3 * delayMs + 1_000);
}

/**
 * Times that explain that something is late: while the daemon is down and 5 min to begin again, while a host is and the longest pause
 * before it is asked again, and what a clock that was set back has to go again; after each, once round all that fell due meanwhile.
 */
function excusesOf({ from, down, steps, outages }: World, host: number, round: number): Excuses {
  return new Excuses([
    { from, to: from + round + hourMs },
    ...down.map((each) => ({ from: each.from, to: each.to + 5 * minuteMs + round })),
    ...(outages[host] ?? []).map((each) => ({ from: each.from, to: each.to + 20 * minuteMs + round })),
    ...steps.map(({ at, byMs }): Span => ({ from: at, to: at + Math.max(0, -byMs) + minuteMs + round })),
  ]);
}
