import type { Source } from '../../definition/source.ts';
import type { OpenHours } from '../../schedule/available.ts';
import type { ForecastPulse } from '../../schedule/forecast.ts';
import type { PulseTally } from '../../schedule/waste.ts';
import type { PulseCount, ScheduleDeps } from './schedule-deps.ts';

/** A source's pulse within the same hours. */
interface Pulse {
  readonly source: Source;
  readonly hours: readonly OpenHours[];
  readonly count: PulseCount;
  /** What its requests cost so far. */
  requests: number;
  bytes: number;
}

/** What pulses ask one host for. */
interface AskedHost {
  readonly key: string;
  readonly source: Source;
  readonly pulse: ForecastPulse;
}

/** What pulses are to ask for: targets are added, then it is gone through by host. */
export class ForecastPulses {
  readonly #deps: Pick<ScheduleDeps, 'pulseOf' | 'tally'>;
  readonly #tallyFrom: number;
  readonly #pulses = new Map<string, Map<readonly OpenHours[], Pulse>>();

  /** @param tallyFrom - what was asked since then tells what an answer brings. */
  constructor(deps: Pick<ScheduleDeps, 'pulseOf' | 'tally'>, tallyFrom: number) {
    this.#deps = deps;
    this.#tallyFrom = tallyFrom;
  }

  /**
   * Adds a target; tells how often its source's pulse asks, if it has one.
   *
   * @param cost - what it has cost so far.
   */
  add(source: Source, url: string, hours: readonly OpenHours[], cost: PulseTally | undefined): number | undefined {
    const pulse = this.#pulses.get(source.id)?.get(hours) ?? this.#open(source, hours);
    pulse?.count.add(url);
    if (pulse !== undefined && cost !== undefined) addCost(pulse, cost);
    return pulse?.count.everyMs;
  }

  /** By host, which may be another than that of their targets; called once, when all are added. */
  *hosts(): Generator<AskedHost> {
    for (const each of this.#pulses.values())
      for (const { source, hours, count, requests: asked, bytes } of each.values())
        for (const [key, requests] of count.requests())
          yield { key, source, pulse: { requests, everyMs: count.everyMs, hours, bytes: bytes / Math.max(1, asked) } };
  }

  #open(source: Source, hours: readonly OpenHours[]): Pulse | undefined {
    const count = this.#deps.pulseOf(source);
    if (count === undefined) return undefined;
    const pulse = { source, hours, count, requests: 0, bytes: 0 };
    const { pulses } = this.#deps.tally(source.id, this.#tallyFrom);
    if (pulses !== undefined) addCost(pulse, pulses);
    const known = this.#pulses.get(source.id) ?? new Map<readonly OpenHours[], Pulse>();
    this.#pulses.set(source.id, known.set(hours, pulse));
    return pulse;
  }
}

function addCost(pulse: Pulse, { requests, bytes }: PulseTally): void {
  pulse.requests += requests;
  pulse.bytes += bytes;
}
