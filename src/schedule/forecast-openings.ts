import type { OpenHours } from './available.ts';
import { nextOnGrid } from './grid.ts';
import type { MinuteHours } from './minute-hours.ts';
import type { MinuteSums } from './minute-sums.ts';

const minuteMs = 60_000;
/** Turns of one opening that are laid down one by one; of more, all but the first come evenly. */
const maxLaid = 24;

/** Turns that follow one another, in milliseconds from the begin of the forecast. */
export interface OpenTurns {
  /** When the first is due; before the begin for what is to settle until then. */
  readonly dueMs: number;
  readonly everyMs: number;
  /** What asks after the first of each opening, where that comes sooner: the grid of an interval. */
  readonly grid?: { readonly originMs: number; readonly everyMs: number };
  /** From when on there is none. Default: the end of the forecast. */
  readonly untilMs?: number;
}

/** What was laid down. */
export interface Laid {
  readonly turns: number;
  /** What that took, as so many turns that are laid down one by one. */
  readonly work: number;
}

/**
 * Lays down turns that hours hold back: what falls due while they are closed is one turn when they open, and the next one
 * follows on it. Each opening is one step, however many turns are in it.
 */
export class OpeningBook {
  readonly #sums: MinuteSums;
  readonly #hours: MinuteHours;

  constructor(sums: MinuteSums, hours: MinuteHours) {
    this.#sums = sums;
    this.#hours = hours;
  }

  /** Adds so many requests for each of the turns; the hours were followed before. */
  add(hours: readonly OpenHours[], requests: number, { dueMs, everyMs, grid, untilMs = Infinity }: OpenTurns): Laid {
    const { opens, closes } = this.#hours.followed(hours);
    const onGrid = (afterMs: number): number =>
      grid === undefined
        ? Infinity
        : nextOnGrid({ originAt: grid.originMs, everyMs: grid.everyMs, phaseMs: 0 }, afterMs);
    const endMs = Math.min(untilMs, this.#sums.minutes * minuteMs);
    let [turns, work, nextMs] = [0, 1, dueMs];
    for (let place = this.#hours.placeAt(hours, dueMs / minuteMs); place < opens.length; place += 1) {
      const firstMs = Math.max(nextMs, (opens[place] ?? 0) * minuteMs);
      if (firstMs >= endMs) break;
      const closesMs = Math.min((closes[place] ?? 0) * minuteMs, endMs);
      work += 1;
      if (firstMs >= closesMs) continue;
      const again = Math.min(firstMs + everyMs, onGrid(firstMs));
      const more = Math.max(0, Math.ceil((closesMs - again) / everyMs));
      nextMs = again + more * everyMs;
      const laid = this.#lay(requests, { firstMs, againMs: again, everyMs, closesMs });
      turns += laid;
      work += laid > maxLaid ? 2 : laid;
    }
    return { turns, work };
  }

  /** The turns of one opening, as far as they are within the forecast; tells how many these are. */
  #lay(
    requests: number,
    { firstMs, againMs, everyMs, closesMs }: Readonly<Record<'firstMs' | 'againMs' | 'everyMs' | 'closesMs', number>>,
  ): number {
    const fromMs = againMs < 0 ? againMs + Math.ceil(-againMs / everyMs) * everyMs : againMs;
    const more = Math.max(0, Math.ceil((closesMs - fromMs) / everyMs));
    const from = Math.floor(fromMs / minuteMs);
    if (firstMs >= 0) this.#sums.add(Math.floor(firstMs / minuteMs), requests);
    if (more > maxLaid) {
      const to = Math.ceil(closesMs / minuteMs);
      this.#sums.addEvenly(from, to, (more * requests) / (to - from));
    } else
      for (let each = 0; each < more; each += 1)
        this.#sums.add(Math.floor((fromMs + each * everyMs) / minuteMs), requests);
    return more + (firstMs >= 0 ? 1 : 0);
  }
}
