import type { Clock } from '../clock.ts';
import type { Source } from '../definition/source.ts';
import type { Step, StepFailure, StepOutcome } from '../engine/step.ts';
import { openProvider } from '../provider/all.ts';
import type { CommitResult, Fence, StepOps } from '../store/rows.ts';
import { type Decision, decide } from './decide.ts';

/** Leave to send one request, as a scrape holds it. */
export interface Turn {
  /** Tells that the request went out: the gap to the next one counts from here. */
  sent(): void;
  /** Gives the turn back; further calls do nothing. */
  done(outcome: StepOutcome | undefined): void;
}

export interface ScrapeDeps {
  readonly clock: Clock;
  /** Waits for leave to ask the host of `url`, in order of `dueAt`; rejects when the signal fires. */
  takeTurn(url: string, source: Source, dueAt: number, signal: AbortSignal): Promise<Turn>;
  runStep(step: Step, signal: AbortSignal, onSent: () => void): Promise<StepOutcome>;
  commit(fence: Fence, ops: StepOps): Promise<CommitResult>;
  /** The longest that one scrape may take. */
  readonly timeLimitMs: number;
}

/** The scrape to run: begun in the store already, so that its number and epoch are its own. */
export interface BegunScrape {
  readonly target: number;
  readonly epoch: number;
  readonly scrape: number;
  readonly url: string;
  readonly dueAt: number;
}

/**
 * Runs one scrape from its first step to its closing commit: take a turn, run the step, decide, commit. Resolves also when
 * the scrape failed, took too long or was superseded; rejects for errors of ours, and when the signal fires.
 */
export async function runScrape(
  begun: BegunScrape,
  source: Source,
  deps: ScrapeDeps,
  signal: AbortSignal,
): Promise<void> {
  const provider = openProvider(source);
  const limit = timeLimit(deps);
  const stepSignal = AbortSignal.any([signal, limit.signal]);
  let url = begun.url;
  try {
    for (let step = 1; ; step += 1) {
      const exchanged = exchange(
        { request: provider.request(url), reading: provider.page },
        source,
        begun.dueAt,
        deps,
        stepSignal,
      );
      const outcome = await Promise.race([exchanged, limit.expired, rejection(signal)]);
      const decision = decide(outcome, step - 1);
      const committed = await deps.commit(
        { target: begun.target, epoch: begun.epoch, scrape: begun.scrape, step },
        opsOf(url, outcome, decision),
      );
      if (committed.outcome === 'superseded' || decision.do !== 'follow') return;
      url = decision.url;
    }
  } finally {
    limit.cancel();
  }
}

/** Takes a turn and runs one step under it; the turn is given back however the step ends. */
export async function exchange(
  step: Step,
  source: Source,
  dueAt: number,
  deps: Pick<ScrapeDeps, 'takeTurn' | 'runStep'>,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const turn = await deps.takeTurn(step.request.url, source, dueAt, signal);
  let outcome: StepOutcome | undefined;
  try {
    outcome = await deps.runStep(step, signal, () => turn.sent());
    return outcome;
  } finally {
    turn.done(outcome);
  }
}

function opsOf(url: string, outcome: StepOutcome, decision: Decision): StepOps {
  const extraction = outcome.kind === 'read' ? outcome.extraction : undefined;
  return {
    observedAt: outcome.at,
    drafts: extraction?.drafts ?? [],
    log: {
      url,
      at: outcome.at,
      elapsedMs: outcome.elapsedMs,
      bytes: outcome.bytes,
      ...(outcome.status !== undefined && { status: outcome.status }),
      ...(decision.do === 'fail' && { failure: told(decision.failure) }),
      absent: extraction?.absent ?? [],
      unparsed: extraction?.unparsed ?? [],
    },
    ...closing(decision),
  };
}

function closing(decision: Decision): Pick<StepOps, 'close'> {
  switch (decision.do) {
    case 'follow':
      return {};
    case 'complete':
      return { close: { status: 'complete', finished: decision.finished } };
    case 'fail':
      return { close: { status: 'failed', failure: told(decision.failure), finished: false } };
    default:
      return decision satisfies never;
  }
}

function told({ code, message }: StepFailure): { readonly code: string; readonly message: string } {
  return { code, message };
}

/** A bound that holds whatever the step does: what it still computes afterwards goes nowhere. */
function timeLimit({ clock, timeLimitMs }: ScrapeDeps): {
  readonly expired: Promise<StepOutcome>;
  readonly signal: AbortSignal;
  cancel(): void;
} {
  const { promise: expired, resolve } = Promise.withResolvers<StepOutcome>();
  const controller = new AbortController();
  const timer = clock.at(clock.monotonic() + timeLimitMs, () => {
    const failure = { code: 'timeout', message: `the scrape took longer than its limit of ${timeLimitMs} ms` };
    resolve({ kind: 'failed', failure, at: clock.now(), elapsedMs: timeLimitMs, bytes: 0 });
    controller.abort();
  });
  return { expired, signal: controller.signal, cancel: () => void clock.cancel(timer) };
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
