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
  /** The longest that the steps of one scrape may take together; waiting for its turns does not count. */
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
  const limited = { takeTurn: deps.takeTurn, runStep: withinLimit(deps) };
  let url = begun.url;
  for (let step = 1; ; step += 1) {
    const request = { request: provider.request(url), reading: provider.page };
    const outcome = await exchange(request, source, begun.dueAt, limited, signal);
    const decision = decide(outcome, step - 1);
    const committed = await deps.commit(
      { target: begun.target, epoch: begun.epoch, scrape: begun.scrape, step },
      opsOf(url, outcome, decision),
    );
    if (committed.outcome === 'superseded' || decision.do !== 'follow') return;
    url = decision.url;
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

/**
 * Runs steps that take no longer together than the limit, and end when the signal fires, whatever they do: what a step
 * still computes afterwards goes nowhere.
 */
function withinLimit({ clock, runStep, timeLimitMs }: ScrapeDeps): ScrapeDeps['runStep'] {
  let leftMs = timeLimitMs;
  return async (step, signal, onSent) => {
    const startedAt = clock.monotonic();
    const controller = new AbortController();
    const { promise: ended, resolve, reject } = Promise.withResolvers<StepOutcome>();
    const timer = clock.at(startedAt + leftMs, () => {
      resolve(expired(clock.now(), clock.monotonic() - startedAt, timeLimitMs));
      controller.abort();
    });
    const cut = (): void => {
      reject(signal.reason);
      controller.abort(signal.reason);
    };
    signal.addEventListener('abort', cut);
    try {
      return await Promise.race([runStep(step, controller.signal, onSent), ended]);
    } finally {
      // The signal outlives the scrape, so that a listener that stayed would hold it in memory.
      signal.removeEventListener('abort', cut);
      clock.cancel(timer);
      leftMs -= clock.monotonic() - startedAt;
    }
  };
}

function expired(at: number, elapsedMs: number, limitMs: number): StepOutcome {
  const failure = { code: 'timeout', message: `the scrape took longer than its limit of ${limitMs} ms` };
  return { kind: 'failed', failure, at, elapsedMs, bytes: 0 };
}
