/**
 * When a circuit opens, how it probes, and how it comes back; durations are milliseconds. Five targets are the fewest from which "most of
 * them" says something of the source rather than of a page or two; 60 % is more than half by a margin, so that one target which comes and
 * goes does not decide; five minutes is the pace of a pulse, so that each target of a lively source is heard of once. The ramp takes three
 * minutes and 63 targets.
 */
export const circuitRules = {
  /** How long an outcome counts. */
  windowMs: 300_000,
  /** The least number of failed targets with which the circuit opens. */
  targets: 5,
  /** The least share of failed targets among all targets with an outcome with which the circuit opens, from 0 to 1. */
  share: 0.6,
  /** The pause before the first probe; each probe that fails doubles it. */
  probeMs: 60_000,
  longestProbeMs: 900_000,
  /** The time after which a probe without an outcome is given up and another target may probe. */
  lostMs: 600_000,
  /** The ramp: 1 target in the first step, 2 in the second, 4 in the third, evenly spaced; then all. */
  stepMs: 30_000,
  steps: 6,
} as const;

/** The number of failed targets that opens a resuming circuit again: fewer than `targets`, as there is less to judge by. */
const targetsWhenResuming = 2;

/** The number of outcomes that a circuit remembers; the oldest are dropped. */
const longestMemory = 100;

/** The time after a due probe without any request at which an open circuit is dropped, in milliseconds. */
const forgottenAfterMs = 24 * 3_600_000;

interface Heard {
  readonly target: number;
  readonly at: number;
  readonly isBad: boolean;
}

/**
 * Whether the targets of a source are asked: all of them (`closed`), none but a probe (`open`), or ever more (`resuming`). Plain data;
 * all instants are of one clock.
 */
export type Circuit =
  | { readonly state: 'closed'; readonly heard: readonly Heard[] }
  | {
      readonly state: 'open';
      readonly openedAt: number;
      /** Openings and failed probes in a row. */
      readonly times: number;
      readonly probeAt: number;
      readonly probe?: { readonly target: number; readonly at: number };
    }
  | {
      readonly state: 'resuming';
      readonly since: number;
      readonly times: number;
      /** When the last target was let through; missing when none was. */
      readonly lastAt?: number;
      /** The target that was let through last, and `lastAt` before that, for when it is not asked after all. */
      readonly last?: { readonly target: number; readonly before: number | undefined };
      /** The targets that were let through and whose outcome has not come: their further requests take no further place. */
      readonly underWay?: readonly number[];
      readonly heard: readonly Heard[];
    };

/** A circuit's answer to "may this target be asked now?". `nextAt` is the earliest instant at which the answer may change. */
export type CircuitAnswer = { readonly mayAsk: true } | { readonly mayAsk: false; readonly nextAt: number };

/** The outcome of asking one target: `bad` speaks against its source, `unused` means that it was not asked after all. */
export interface TargetOutcome {
  readonly target: number;
  readonly verdict: 'good' | 'bad' | 'unused';
}

/** The circuit of a source without a known failure. */
export const closedCircuit: Circuit = { state: 'closed', heard: [] };

const yes: CircuitAnswer = { mayAsk: true };

/** Answers whether a target may be asked. Changes nothing: a caller that then asks the target calls `withAsked`. */
export function circuitAnswer(circuit: Circuit, now: number): CircuitAnswer {
  switch (circuit.state) {
    case 'closed':
      return yes;
    case 'open':
      return from(circuit.probe ? circuit.probe.at + circuitRules.lostMs : circuit.probeAt, now);
    case 'resuming':
      return from(nextInRamp(circuit, now), now);
    default:
      return circuit satisfies never;
  }
}

/** The circuit after a target was asked that `circuitAnswer` allowed. */
export function withAsked(circuit: Circuit, target: number, now: number): Circuit {
  switch (circuit.state) {
    case 'closed':
      return circuit;
    case 'open':
      return { ...circuit, probe: { target, at: now } };
    case 'resuming':
      return {
        ...circuit,
        lastAt: now,
        last: { target, before: circuit.lastAt },
        underWay: [...without(circuit.underWay, target), target].slice(-longestMemory),
      };
    default:
      return circuit satisfies never;
  }
}

/** The circuit after the outcome of a target. While it is open only its probe counts. */
export function withOutcome(circuit: Circuit, outcome: TargetOutcome, now: number): Circuit {
  switch (circuit.state) {
    case 'closed':
      return judged(circuit, outcome, now);
    case 'open':
      return probed(circuit, outcome, now);
    case 'resuming':
      return resumed({ ...circuit, underWay: without(circuit.underWay, outcome.target) }, outcome, now);
    default:
      return circuit satisfies never;
  }
}

/** Whether a target was let through by a circuit that holds others back, and its outcome has not come. */
function isLetThrough(circuit: Circuit, target: number): boolean {
  switch (circuit.state) {
    case 'closed':
      return false;
    case 'open':
      return circuit.probe?.target === target;
    case 'resuming':
      return circuit.underWay?.includes(target) === true;
    default:
      return circuit satisfies never;
  }
}

/** Whether the circuit knows no more than a new one, so that it need not be kept. */
export function isSpentCircuit(circuit: Circuit, now: number): boolean {
  if (circuit.state === 'open') return circuit.probeAt + forgottenAfterMs <= now;
  const isQuiet = circuit.heard.every(({ at }) => at + circuitRules.windowMs <= now);
  return isQuiet && (circuit.state === 'closed' || isOver(circuit, now));
}

/** The row of a circuit; `undefined` for one whose source is asked as usual. */
export function circuitRow(circuit: Circuit, now: number): Circuit | undefined {
  const isClosed = circuit.state === 'closed' || (circuit.state === 'resuming' && isOver(circuit, now));
  return isClosed ? undefined : circuit;
}

/** Converts a circuit to a clock that is ahead by `byMs`. */
export function shifted(circuit: Circuit, byMs: number): Circuit {
  switch (circuit.state) {
    case 'closed':
      return { ...circuit, heard: shiftedHeard(circuit.heard, byMs) };
    case 'open': {
      const { openedAt, probeAt, probe } = circuit;
      const moved = { ...circuit, openedAt: openedAt + byMs, probeAt: probeAt + byMs };
      return probe ? { ...moved, probe: { ...probe, at: probe.at + byMs } } : moved;
    }
    case 'resuming': {
      const { since, lastAt, heard, last: _, underWay: __, ...rest } = circuit;
      const moved = { ...rest, since: since + byMs, heard: shiftedHeard(heard, byMs) };
      return lastAt === undefined ? moved : { ...moved, lastAt: lastAt + byMs };
    }
    default:
      return circuit satisfies never;
  }
}

/**
 * Restores a circuit from its row. A request that was under way counts as lost. The probe waits at most `longestProbeMs`, however the
 * clock was set meanwhile.
 */
export function restoredCircuit(circuit: Circuit, now: number): Circuit {
  switch (circuit.state) {
    case 'closed':
      return closedCircuit;
    case 'open': {
      const { times, openedAt, probeAt } = circuit;
      return { state: 'open', times, openedAt, probeAt: Math.min(probeAt, now + circuitRules.longestProbeMs) };
    }
    case 'resuming':
      return { state: 'resuming', since: now, times: circuit.times, heard: [] };
    default:
      return circuit satisfies never;
  }
}

function from(at: number, now: number): CircuitAnswer {
  return at <= now ? yes : { mayAsk: false, nextAt: at };
}

type Resuming = Extract<Circuit, { state: 'resuming' }>;
type Open = Extract<Circuit, { state: 'open' }>;
type Judging = Exclude<Circuit, Open>;

function isOver({ since }: Resuming, now: number): boolean {
  return since + circuitRules.stepMs * circuitRules.steps <= now;
}

function nextInRamp(circuit: Resuming, now: number): number {
  const { since, lastAt } = circuit;
  if (lastAt === undefined || isOver(circuit, now)) return since;
  const step = Math.max(0, Math.floor((now - since) / circuitRules.stepMs));
  return lastAt + circuitRules.stepMs / 2 ** step;
}

function judged(circuit: Judging, { target, verdict }: TargetOutcome, now: number): Circuit {
  if (verdict === 'unused') return circuit;
  const others = circuit.heard.filter((each) => each.target !== target && each.at + circuitRules.windowMs > now);
  const heard = [...others, { target, at: now, isBad: verdict === 'bad' }].slice(-longestMemory);
  const bad = heard.filter(({ isBad }) => isBad).length;
  const atLeast = circuit.state === 'closed' ? circuitRules.targets : targetsWhenResuming;
  if (verdict === 'good' || bad < atLeast || bad < circuitRules.share * heard.length) return { ...circuit, heard };
  return opened(circuit.state === 'closed' ? 1 : circuit.times + 1, now, now);
}

function resumed(circuit: Resuming, outcome: TargetOutcome, now: number): Circuit {
  if (outcome.verdict === 'unused') return withPlaceBack(circuit, outcome.target);
  return isOver(circuit, now)
    ? judged({ state: 'closed', heard: circuit.heard }, outcome, now)
    : judged(circuit, outcome, now);
}

function without(targets: readonly number[] = [], target: number): readonly number[] {
  return targets.filter((each) => each !== target);
}

/** Gives the place in the ramp back that a target has taken up, unless another one was let through since. */
function withPlaceBack(circuit: Resuming, target: number): Circuit {
  const { last, lastAt: _, ...rest } = circuit;
  if (last?.target !== target) return circuit;
  return last.before === undefined ? rest : { ...rest, lastAt: last.before };
}

function probed(circuit: Open, { target, verdict }: TargetOutcome, now: number): Circuit {
  if (circuit.probe?.target !== target) return circuit;
  const { openedAt, times, probeAt } = circuit;
  switch (verdict) {
    case 'unused':
      return { state: 'open', openedAt, times, probeAt };
    case 'good':
      return { state: 'resuming', since: now, times, heard: [{ target, at: now, isBad: false }] };
    case 'bad':
      return opened(times + 1, openedAt, now);
    default:
      return verdict satisfies never;
  }
}

function opened(times: number, openedAt: number, now: number): Circuit {
  const { probeMs, longestProbeMs } = circuitRules;
  return { state: 'open', openedAt, times, probeAt: now + Math.min(probeMs * 2 ** (times - 1), longestProbeMs) };
}

function shiftedHeard(heard: readonly Heard[], byMs: number): Heard[] {
  return heard.map((each) => ({ ...each, at: each.at + byMs }));
}

/** The state of a source's circuit, for people. Instants are of the book's clock. */
export interface SourceCircuit {
  readonly source: string;
  readonly state: Circuit['state'];
  /** When the next target may be asked; `undefined` if one may be asked now. */
  readonly nextAt: number | undefined;
  /** Openings and failed probes in a row. */
  readonly times: number;
}

/** The circuits of all sources by source id. A source that is missing has a closed circuit. */
export class CircuitBook {
  readonly #circuits = new Map<string, Circuit>();
  /** Sources of which something durable changed since rows were taken. */
  readonly #changed = new Set<string>();

  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  restore(source: string, row: Circuit, now: number, wallOffset: number): void {
    this.#circuits.set(source, restoredCircuit(shifted(row, -wallOffset), now));
  }

  /** Answers whether a target may be asked now; one that may counts as asked. */
  ask(source: string, target: number, now: number): CircuitAnswer {
    const circuit = this.#circuits.get(source);
    if (!circuit) return { mayAsk: true };
    // What was let through goes on, from this answer to the outcome of its last request.
    if (isLetThrough(circuit, target)) return { mayAsk: true };
    const answer = circuitAnswer(circuit, now);
    if (answer.mayAsk) this.#circuits.set(source, withAsked(circuit, target, now));
    return answer;
  }

  /** Whether a target was let through while others are held back, so that its further requests may pass those. */
  isLetThrough(source: string, target: number): boolean {
    const circuit = this.#circuits.get(source);
    return circuit !== undefined && isLetThrough(circuit, target);
  }

  /** Records an outcome. Returns whether the circuit may let targets through that it held back. */
  report(source: string, outcome: TargetOutcome, now: number): boolean {
    const before = this.#circuits.get(source) ?? closedCircuit;
    const after = withOutcome(before, outcome, now);
    if (after === before) return false;
    this.#circuits.set(source, after);
    if (after.state === 'closed' && before.state === 'closed') return false;
    this.#changed.add(source);
    return before.state !== 'closed';
  }

  view(source: string, now: number): SourceCircuit | undefined {
    const circuit = this.#circuits.get(source);
    if (!circuit) return undefined;
    const answer = circuitAnswer(circuit, now);
    return {
      source,
      state: circuit.state,
      nextAt: answer.mayAsk ? undefined : answer.nextAt,
      times: circuit.state === 'closed' ? 0 : circuit.times,
    };
  }

  /** The circuits that are not closed. */
  views(now: number): SourceCircuit[] {
    return Array.from(this.#circuits.keys(), (source) => this.view(source, now)).filter(
      (view) => view !== undefined && view.state !== 'closed',
    ) as SourceCircuit[];
  }

  /** Drops the circuits that know no more than new ones. */
  forget(now: number): void {
    for (const [source, circuit] of this.#circuits) {
      if (!isSpentCircuit(circuit, now)) continue;
      this.#circuits.delete(source);
      if (circuit.state !== 'closed') this.#changed.add(source);
    }
  }

  /** Marks all rows as changed, such as after the wall clock was set, so that they are written again. */
  rewrite(): void {
    for (const [source, { state }] of this.#circuits) if (state !== 'closed') this.#changed.add(source);
  }

  /** The rows that changed since the last call, by source; `undefined` where the row is to be removed. */
  takeRows(now: number, wallOffset: number): (readonly [string, Circuit | undefined])[] {
    const rows = Array.from(this.#changed, (source) => {
      const row = circuitRow(this.#circuits.get(source) ?? closedCircuit, now);
      return [source, row && shifted(row, wallOffset)] as const;
    });
    this.#changed.clear();
    return rows;
  }
}
