import type { Source } from '../definition/source.ts';
import type { RecordDraft } from '../extract/draft.ts';
import type { FetchRequest } from '../fetch/request.ts';
import { openProvider } from '../provider/all.ts';
import type { PulseBatch } from '../provider/provider.ts';
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
  /** The target that a record was last seen on, if it is known. */
  ownerOf(record: Pick<RecordDraft, 'type' | 'key'>): number | undefined;
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
      const outcome = await askLoggedIn(wish, deps, signal);
      if (outcome.kind === 'failed' && outcome.failure.code === 'cancelled') continue;
      round = counted(round, outcome);
      if (outcome.kind !== 'read') continue;
      await deps.commit(target, { url: request.url, observedAt: outcome.at, drafts: outcome.extraction.drafts });
    }
  }
}

/** Targets that are asked for with one request, by their ids. */
interface Batch {
  readonly request: FetchRequest;
  readonly targets: ReadonlyMap<string, number>;
}

/** A batch is full at its size, or where its address would be too long; made as they are asked for, of who is active then. */
function* batchesOf(targets: readonly number[], batch: PulseBatch, deps: PulseDeps): Generator<Batch> {
  let members = new Map<string, number>();
  for (const number of targets) {
    const url = deps.active(number)?.url;
    if (url === undefined) continue;
    const id = batch.idOf(url) ?? (batch.size === Infinity ? `${number}` : undefined);
    if (id === undefined) continue;
    const isFull = members.size >= batch.size || batch.request([...members.keys(), id]) === undefined;
    if (isFull) yield* made(members);
    members = isFull ? new Map([[id, number]]) : members.set(id, number);
  }
  yield* made(members);

  function* made(of: ReadonlyMap<string, number>): Generator<Batch> {
    const request = of.size === 0 ? undefined : batch.request([...of.keys()]);
    if (request !== undefined) yield { request, targets: of };
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
