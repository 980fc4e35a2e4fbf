import { CallError } from '../src/actor/errors.ts';
import type { Behaviour, Self } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import type { RemoteState } from '../src/engine/bullmq/remote-steps.ts';
import { type Backlog, noBacklog } from '../src/fetch/ledger/ledger-view.ts';
import { type AlarmLimits, nothingWatched, type SeenWorkers, watchWorkers } from '../src/health/worker-alarms.ts';
import type { Symptom } from '../src/view/symptom.ts';

/** The messages of the actor that watches worker processes. */
export type AlarmsMessage =
  | { readonly type: 'look' }
  | { readonly type: 'seen'; readonly state: RemoteState | undefined }
  | { readonly type: 'saved' };

/** The dependencies of the actor. */
export interface AlarmsDeps {
  readonly clock: Clock;
  readonly limits: AlarmLimits;
  /** Resolves with the worker processes that there are. Rejects with a `CallError` while no engine runs. */
  seen(): Promise<RemoteState | undefined>;
  /** The turns that wait for room in flight alone. Instants are wall time. */
  backlog(): Backlog;
  /** Opens and ends tickets by the symptoms that there are. Called when others are there than before. */
  save(symptoms: readonly Symptom[]): Promise<unknown>;
}

/** How often worker processes are looked at, in ms. */
const lookEveryMs = 15_000;

/** Watches worker processes, and has tickets opened where they are silent, break steps, or keep them waiting. */
export function alarms(self: Self<AlarmsMessage>, deps: AlarmsDeps): Behaviour<AlarmsMessage> {
  let watched = nothingWatched;
  /** What was shown at the last look; at the first one, tickets of an earlier life may be over. */
  let shown: string | undefined;
  self.send({ type: 'look' });

  return {
    receive(message) {
      switch (message.type) {
        case 'look':
          return self.task(seen, (state) => ({ type: 'seen', state }));
        case 'seen':
          if (message.state !== undefined) judge(message.state);
          return void self.after(lookEveryMs, { type: 'look' });
        case 'saved':
          return undefined;
        default:
          return message satisfies never;
      }
    },
  };

  async function seen(): Promise<RemoteState | undefined> {
    try {
      return await deps.seen();
    } catch (error) {
      if (error instanceof CallError) return undefined;
      throw error;
    }
  }

  function judge(state: RemoteState): void {
    const found = watchWorkers(watched, seenOf(state), deps.limits);
    ({ watched } = found);
    if (found.shown === shown) return;
    ({ shown } = found);
    self.task(
      () => deps.save(found.symptoms),
      () => ({ type: 'saved' }),
    );
  }

  function seenOf({ done, workers, queues }: RemoteState): SeenWorkers {
    const silent = workers
      .filter(({ isOnline }) => !isOnline)
      .map(({ host, pid, heardAt }) => ({ name: `${host} ${pid}`, silentMs: deps.clock.now() - heardAt }));
    const isTended = queues.kind === 'leased' || workers.some(({ takesSteps }) => takesSteps);
    const { oldestAt } = isTended ? noBacklog : deps.backlog();
    const untendedMs = oldestAt === undefined ? 0 : deps.clock.now() - oldestAt;
    return { at: deps.clock.monotonic(), ...done, untendedMs, silent };
  }
}
