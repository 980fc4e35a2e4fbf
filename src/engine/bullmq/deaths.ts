import type { Clock } from '../../clock.ts';
import { isStalled } from '../alone.ts';
import { nobody } from './lost-steps.ts';
import type { StepResult } from './protocol.ts';

/** With so many worker processes lost, a step is under suspicion. */
const suspicious = 2;

/** A death is forgotten after so long, in ms; of so many steps the last ones are remembered. */
const [rememberedMs, mostRemembered] = [24 * 3_600_000, 1_000];

/** The worker processes that were lost with a step. */
export interface Death {
  /** The key of the step. */
  readonly key: string;
  /** The ids under which it was lost: a result that comes once more counts once. */
  readonly ids: readonly string[];
  /** When it was last lost, wall time. */
  readonly at: number;
}

/** Where deaths outlive a dispatcher. */
export interface DeathStore {
  load(): readonly Death[];
  /** Called with all that are remembered, the newest last, whenever they change. */
  keep(deaths: readonly Death[]): void;
}

/** Counts the worker processes that were lost with each step, by the step's key. */
export class Deaths {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #store: DeathStore | undefined;
  /** The newest stands last. */
  readonly #deaths: Map<string, Death>;

  /** @param store - missing where they are forgotten with the dispatcher. */
  constructor(clock: Pick<Clock, 'now'>, store?: DeathStore) {
    this.#clock = clock;
    this.#store = store;
    this.#deaths = new Map(store?.load().map((death) => [death.key, death]));
  }

  /** Notes what became of a step: its worker process was lost, or it came to its end. */
  note(id: string, result: StepResult): void {
    if (result.worker === nobody) this.count(result.key, id);
    else if (result.kind === 'ended' && !isStalled(result.outcome) && !isLost(result)) this.#clear(result.key);
  }

  /** A worker process was lost with a step. */
  count(key: string, id: string): void {
    const { ids = [] } = this.#deaths.get(key) ?? {};
    if (ids.includes(id)) return;
    const now = this.#clock.now();
    this.#deaths.delete(key);
    this.#deaths.set(key, { key, ids: [...ids, id].slice(-suspicious), at: now });
    for (const [each, { at }] of this.#deaths) {
      if (now - at < rememberedMs && this.#deaths.size <= mostRemembered) break;
      this.#deaths.delete(each);
    }
    this.#store?.keep([...this.#deaths.values()]);
  }

  /** Whether a step may have been what ended worker processes: it is to run alone. */
  isSuspicious(key: string): boolean {
    return (this.#deaths.get(key)?.ids.length ?? 0) >= suspicious;
  }

  #clear(key: string): void {
    if (this.#deaths.delete(key)) this.#store?.keep([...this.#deaths.values()]);
  }
}

/** Whether a step had not ended when its worker process was told to: that says nothing of it. */
function isLost({ outcome }: Extract<StepResult, { kind: 'ended' }>): boolean {
  return outcome.kind === 'failed' && outcome.failure.code === 'worker_lost';
}
