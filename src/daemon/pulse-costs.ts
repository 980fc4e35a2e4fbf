import { pulsesTogether, type PulseTally } from '../schedule/waste.ts';
import { addPulseWaste, type PulseCosts } from '../store/waste.ts';
import type { DaemonState } from './state.ts';

/** Costs that wait to be written, and for how long at most. */
const keptCosts = 1_000;
const keptMs = 60_000;

/** What a round of a source's pulse has cost; written a little at a time, as a round may last for hours. */
export class RoundCosts {
  readonly #source: string;
  readonly #state: Pick<DaemonState, 'clock' | 'store' | 'unlessFull'>;
  #costs = new Map<number | undefined, PulseTally>();
  #writtenAt: number;

  constructor(source: string, state: Pick<DaemonState, 'clock' | 'store' | 'unlessFull'>) {
    this.#source = source;
    this.#state = state;
    this.#writtenAt = state.clock.monotonic();
  }

  /** Adds what a request cost, for one target or for many. */
  async add(cost: PulseTally, target: number | undefined): Promise<void> {
    this.#costs.set(target, pulsesTogether(this.#costs.get(target), cost));
    const isLong = this.#state.clock.monotonic() - this.#writtenAt >= keptMs;
    if (isLong || this.#costs.size >= keptCosts) await this.write();
  }

  /** Writes what was added since it was last written. */
  async write(): Promise<void> {
    const costs: PulseCosts = this.#costs;
    this.#costs = new Map();
    this.#writtenAt = this.#state.clock.monotonic();
    if (costs.size > 0) await this.#state.unlessFull(() => addPulseWaste(this.#state.store(), this.#source, costs));
  }
}
