import type { Source } from '../definition/source.ts';
import type { RecordDraft } from '../extract/draft.ts';
import { openProvider } from '../provider/all.ts';
import type { TargetRow } from '../store/rows.ts';
import type { Clock } from '../clock.ts';
import type { StepOutcome } from '../engine/step.ts';
import type { Asked, Wish, Within } from './ask.ts';
import type { ScrapeDeps } from './run.ts';

/** What one round of a source's pulse came to. */
export interface PulseRound {
  readonly asked: number;
  readonly failed: number;
  /** The latest failure, as a sentence. */
  readonly failure?: string;
}

export interface PulseDeps extends Pick<ScrapeDeps, 'clock' | 'ask'> {
  /** The target as it is now; nothing when it is no longer to be asked. */
  active(target: number): TargetRow | undefined;
  /** Writes what was read of a target, unless it is no longer active. */
  commit(
    target: TargetRow,
    read: { readonly url: string; readonly observedAt: number; readonly drafts: readonly RecordDraft[] },
  ): Promise<void>;
}

/** Asks one data point of each target, by their numbers in turn, as many at once as the source's politeness allows; a target that fails spoils no other's. */
export async function runPulse(
  targets: readonly number[],
  source: Source,
  deps: PulseDeps,
  signal: AbortSignal,
): Promise<PulseRound> {
  const provider = openProvider(source);
  const waiting = targets.values();
  let round: PulseRound = { asked: 0, failed: 0 };
  await Promise.all(Array.from({ length: source.politeness.concurrency }, askInTurn));
  return round;

  async function askInTurn(): Promise<void> {
    for (const number of waiting) {
      if (signal.aborted) return;
      const target = deps.active(number);
      const request = target && provider.pulse?.request(target.url);
      if (target === undefined || provider.pulse === undefined || request === undefined) continue;
      const step = { request, reading: provider.pulse.reading };
      // What is archived while it waits for its turn is not asked any more.
      const within: Within = (run, limited) => (deps.active(number) ? run(limited) : Promise.resolve(left(deps.clock)));
      const wish = { step, source, dueAt: deps.clock.now(), unlessOpen: true, within } as const;
      const outcome = await askLoggedIn(wish, deps, signal);
      if (outcome.kind === 'failed' && outcome.failure.code === 'cancelled') continue;
      round = counted(round, outcome);
      if (outcome.kind !== 'read') continue;
      await deps.commit(target, { url: request.url, observedAt: outcome.at, drafts: outcome.extraction.drafts });
    }
  }
}

function left(clock: Clock): StepOutcome {
  const failure = { code: 'cancelled', message: 'the target is no longer active' };
  return { kind: 'failed', failure, at: clock.now(), elapsedMs: 0, bytes: 0 };
}

/** Asks; where the session is over, once more with other credentials. */
async function askLoggedIn(wish: Wish, { ask }: PulseDeps, signal: AbortSignal): Promise<Asked['outcome']> {
  const { outcome, trouble, generation } = await ask(wish, signal);
  if (trouble?.cause !== 'login_expired' || wish.source.auth === undefined) return outcome;
  return (await ask({ ...wish, stale: generation }, signal)).outcome;
}

function counted({ asked, failed, failure }: PulseRound, outcome: Asked['outcome']): PulseRound {
  const last =
    outcome.kind === 'failed'
      ? outcome.failure.message
      : outcome.kind === 'redirect'
        ? `redirected to ${outcome.location}`
        : undefined;
  if (last === undefined) return { asked: asked + 1, failed, ...(failure !== undefined && { failure }) };
  return { asked: asked + 1, failed: failed + 1, failure: last };
}
