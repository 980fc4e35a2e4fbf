/** When a circuit opens, how it probes, and how it comes back. */
export interface CircuitRules {
  /** Outcomes count so long. */
  readonly windowMs: number;
  /** So many targets must have failed… */
  readonly targets: number;
  /** …and be this share of all targets heard of. */
  readonly share: number;
  /** The pause before the first probe; each probe that fails doubles it. */
  readonly probeMs: number;
  readonly longestProbeMs: number;
  /** A probe of which nothing was heard for so long is given up, and another may go. */
  readonly lostMs: number;
  /** The ramp: 1 target in the first step, 2 in the second, 4 in the third, evenly spaced; then all. */
  readonly stepMs: number;
  readonly steps: number;
}

/**
 * Five is the fewest from which "most of them" says something of the source rather than of a page or two; 60 % is more
 * than half by a margin, so that one target which comes and goes does not decide; five minutes is the pace of a pulse,
 * so that each target of a lively source is heard of once. The ramp takes three minutes and 63 targets.
 */
export const circuitRules: CircuitRules = {
  windowMs: 300_000,
  targets: 5,
  share: 0.6,
  probeMs: 60_000,
  longestProbeMs: 900_000,
  lostMs: 600_000,
  stepMs: 30_000,
  steps: 6,
};

/** While it resumes there is less to judge by, and more reason to doubt. */
const targetsWhenResuming = 2;

/** No more targets are remembered; the latest count. */
const longestMemory = 100;

/** A source that nobody wanted to ask for so long after its probe was due is gone. */
const forgottenAfterMs = 24 * 3_600_000;

interface Heard {
  readonly target: number;
  readonly at: number;
  readonly isBad: boolean;
}

/** Whether a source as a whole is asked. Plain data; all instants are of one clock. */
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
      readonly heard: readonly Heard[];
    };

/** Whether a target may be asked now; if not, when it is worth asking again. */
export type Leave = { readonly mayAsk: true } | { readonly mayAsk: false; readonly nextAt: number };

/** What came of a target that was asked: `bad` where that speaks against its source, `unused` when it was not asked after all. */
export interface TargetOutcome {
  readonly target: number;
  readonly came: 'good' | 'bad' | 'unused';
}

/** Nothing is known against the source. */
export const closedCircuit: Circuit = { state: 'closed', heard: [] };

const yes: Leave = { mayAsk: true };

/** Asks and changes nothing: who then asks the target says so by `withAsked`. */
export function leaveOf(circuit: Circuit, now: number, rules = circuitRules): Leave {
  switch (circuit.state) {
    case 'closed':
      return yes;
    case 'open':
      return from(circuit.probe ? circuit.probe.at + rules.lostMs : circuit.probeAt, now);
    case 'resuming':
      return from(nextInRamp(circuit, now, rules), now);
    default:
      return circuit satisfies never;
  }
}

/** A target is asked now, with leave. */
export function withAsked(circuit: Circuit, target: number, now: number): Circuit {
  switch (circuit.state) {
    case 'closed':
      return circuit;
    case 'open':
      return { ...circuit, probe: { target, at: now } };
    case 'resuming':
      return { ...circuit, lastAt: now };
    default:
      return circuit satisfies never;
  }
}

/** Tells what came of a target. While the circuit is open only its probe counts. */
export function withOutcome(circuit: Circuit, outcome: TargetOutcome, now: number, rules = circuitRules): Circuit {
  switch (circuit.state) {
    case 'closed':
      return judged(circuit, outcome, now, rules);
    case 'open':
      return probed(circuit, outcome, now, rules);
    case 'resuming':
      return isOver(circuit, now, rules)
        ? judged({ state: 'closed', heard: circuit.heard }, outcome, now, rules)
        : judged(circuit, outcome, now, rules);
    default:
      return circuit satisfies never;
  }
}

/** Whether a new circuit would serve as well, so that this one need not be kept. */
export function isSpent(circuit: Circuit, now: number, rules = circuitRules): boolean {
  if (circuit.state === 'open') return circuit.probeAt + forgottenAfterMs <= now;
  const isQuiet = circuit.heard.every(({ at }) => at + rules.windowMs <= now);
  return isQuiet && (circuit.state === 'closed' || isOver(circuit, now, rules));
}

/** What of a circuit outlives the daemon: what is known against a source that is asked as usual is found out again. */
export function circuitRow(circuit: Circuit, now: number, rules = circuitRules): Circuit | undefined {
  const isClosed = circuit.state === 'closed' || (circuit.state === 'resuming' && isOver(circuit, now, rules));
  return isClosed ? undefined : circuit;
}

/** The same by a clock that shows `byMs` more. */
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
      const { since, lastAt, heard } = circuit;
      const moved = { ...circuit, since: since + byMs, heard: shiftedHeard(heard, byMs) };
      return lastAt === undefined ? moved : { ...moved, lastAt: lastAt + byMs };
    }
    default:
      return circuit satisfies never;
  }
}

/**
 * A circuit as it was saved. What was asked before is taken for lost, and however the clock was set meanwhile, the probe
 * waits no longer than it ever may.
 */
export function restoredCircuit(circuit: Circuit, now: number, rules = circuitRules): Circuit {
  switch (circuit.state) {
    case 'closed':
      return closedCircuit;
    case 'open': {
      const { times, openedAt, probeAt } = circuit;
      return { state: 'open', times, openedAt, probeAt: Math.min(probeAt, now + rules.longestProbeMs) };
    }
    case 'resuming':
      return { state: 'resuming', since: now, times: circuit.times, heard: [] };
    default:
      return circuit satisfies never;
  }
}

function from(at: number, now: number): Leave {
  return at <= now ? yes : { mayAsk: false, nextAt: at };
}

type Resuming = Extract<Circuit, { state: 'resuming' }>;
type Open = Extract<Circuit, { state: 'open' }>;
type Judging = Exclude<Circuit, Open>;

function isOver({ since }: Resuming, now: number, { stepMs, steps }: CircuitRules): boolean {
  return since + stepMs * steps <= now;
}

function nextInRamp(circuit: Resuming, now: number, rules: CircuitRules): number {
  const { since, lastAt } = circuit;
  if (lastAt === undefined || isOver(circuit, now, rules)) return since;
  const step = Math.max(0, Math.floor((now - since) / rules.stepMs));
  return lastAt + rules.stepMs / 2 ** step;
}

function judged(circuit: Judging, { target, came }: TargetOutcome, now: number, rules: CircuitRules): Circuit {
  if (came === 'unused') return circuit;
  const others = circuit.heard.filter((each) => each.target !== target && each.at + rules.windowMs > now);
  const heard = [...others, { target, at: now, isBad: came === 'bad' }].slice(-longestMemory);
  const bad = heard.filter(({ isBad }) => isBad).length;
  const atLeast = circuit.state === 'closed' ? rules.targets : targetsWhenResuming;
  if (came === 'good' || bad < atLeast || bad < rules.share * heard.length) return { ...circuit, heard };
  return opened(circuit.state === 'closed' ? 1 : circuit.times + 1, now, now, rules);
}

function probed(circuit: Open, { target, came }: TargetOutcome, now: number, rules: CircuitRules): Circuit {
  if (circuit.probe?.target !== target) return circuit;
  const { openedAt, times, probeAt } = circuit;
  switch (came) {
    case 'unused':
      return { state: 'open', openedAt, times, probeAt };
    case 'good':
      return { state: 'resuming', since: now, times, heard: [{ target, at: now, isBad: false }] };
    case 'bad':
      return opened(times + 1, openedAt, now, rules);
    default:
      return came satisfies never;
  }
}

function opened(times: number, openedAt: number, now: number, { probeMs, longestProbeMs }: CircuitRules): Circuit {
  return { state: 'open', openedAt, times, probeAt: now + Math.min(probeMs * 2 ** (times - 1), longestProbeMs) };
}

function shiftedHeard(heard: readonly Heard[], byMs: number): Heard[] {
  return heard.map((each) => ({ ...each, at: each.at + byMs }));
}
