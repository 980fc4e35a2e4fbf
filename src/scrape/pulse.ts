import type { Source } from '../definition/source.ts';
import type { RecordDraft } from '../extract/draft.ts';
import { openProvider } from '../provider/all.ts';
import type { PulseBatch } from '../provider/provider.ts';
import { type Batch, BatchFiller } from '../provider/pulse-round.ts';
import type { PulseTally } from '../schedule/waste.ts';
import type { TargetRow } from '../store/rows.ts';
import type { Clock } from '../clock.ts';
import type { StepOutcome } from '../engine/step.ts';
import type { Asked, Wish, Within } from './ask.ts';
import { pulseTally } from './spent.ts';
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
  /** The target that a record was last seen on, if it is known. */
  ownerOf(record: Pick<RecordDraft, 'type' | 'key'>): number | undefined;
  /** Writes what was read of a target, unless it is no longer active. */
  commit(
    target: TargetRow,
    read: { readonly url: string; readonly observedAt: number; readonly drafts: readonly RecordDraft[] },
  ): Promise<void>;
  /** Takes down what a request cost, for its target; without one, for the source, as it asked for many at once. */
  spend(tally: PulseTally, target?: number): Promise<void>;
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
  const { batch } = provider.pulse ?? {};
  const batches = batch && batchesOf(targets, batch, deps);
  const askNext = batches === undefined ? askInTurn : () => askBatches(batches);
  await Promise.all(Array.from({ length: source.politeness.concurrency }, askNext));
  return round;

  /** One request for many targets; each draft is that of the target which has its key. */
  async function askBatches(batches: Iterable<Batch>): Promise<void> {
    for (const { request, targets: asked } of batches) {
      if (signal.aborted || provider.pulse === undefined) return;
      const step = { request, reading: provider.pulse.reading };
      const within: Within = (run, limited) =>
        [...asked.values()].some((number) => deps.active(number)) ? run(limited) : Promise.resolve(left(deps.clock));
      const wish = { step, source, dueAt: deps.clock.now(), unlessOpen: true, within } as const;
      const outcome = await askLoggedIn(wish, deps, signal);
      if (outcome.kind === 'failed' && outcome.failure.code === 'cancelled') continue;
      round = counted(round, outcome);
      if (outcome.kind !== 'read') continue;
      const numbers = new Set(asked.values());
      const found = Map.groupBy(outcome.extraction.drafts, (draft) => {
        const owner = deps.ownerOf(draft);
        return owner !== undefined && numbers.has(owner) ? owner : asked.get(draft.key);
      });
      for (const [number, drafts] of found) {
        const target = number === undefined ? undefined : deps.active(number);
        if (target !== undefined) await deps.commit(target, { url: request.url, observedAt: outcome.at, drafts });
      }
    }
  }

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
      const outcome = await askLoggedIn(wish, deps, signal, number);
      if (outcome.kind === 'failed' && outcome.failure.code === 'cancelled') continue;
      round = counted(round, outcome);
      if (outcome.kind !== 'read') continue;
      await deps.commit(target, { url: request.url, observedAt: outcome.at, drafts: outcome.extraction.drafts });
    }
  }
}

/** Batches of who is active, made as they are asked for. */
function* batchesOf(targets: readonly number[], batch: PulseBatch, deps: PulseDeps): Generator<Batch> {
  const filler = new BatchFiller(batch);
  for (const number of targets) {
    const url = deps.active(number)?.url;
    const full = url === undefined ? undefined : filler.add(number, url);
    if (full !== undefined) yield full;
  }
  const last = filler.rest();
  if (last !== undefined) yield last;
}

function left(clock: Clock): StepOutcome {
  const failure = { code: 'cancelled', message: 'the target is no longer active' };
  return { kind: 'failed', failure, at: clock.now(), elapsedMs: 0, bytes: 0 };
}

/**
 * Asks; where the session is over, once more with other credentials.
 *
 * @param target - the one that is asked for; missing for a batch.
 */
async function askLoggedIn(
  wish: Wish,
  { ask, spend }: PulseDeps,
  signal: AbortSignal,
  target?: number,
): Promise<Asked['outcome']> {
  const first = await ask(wish, signal);
  await note(first);
  if (first.trouble?.cause !== 'login_expired' || wish.source.auth === undefined) return first.outcome;
  const again = await ask({ ...wish, stale: first.generation }, signal);
  await note(again);
  return again.outcome;

  async function note(asked: Asked): Promise<void> {
    const tally = pulseTally(asked);
    if (tally !== undefined) await spend(tally, target);
  }
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
