import { html } from 'hono/html';
import type { Html } from './view.ts';

const [width, height, margin] = [96, 22, 2];

/** What happened beside the course of a number, as instants. */
export interface Marks {
  /** The ends of scrapes. */
  readonly scrapes: readonly number[];
  /** When changes were found, by scrapes and by pulses. */
  readonly changes: readonly number[];
}

/** How high the marks of scrapes and of changes are, from the lower edge. */
const [scrapeHeight, changeHeight] = [2, 5];

/**
 * Draws how a number went over time, as steps: each value holds until the next. Nothing where there are fewer than two values.
 *
 * @param marks - drawn as ticks at the lower edge, those of changes higher than those of scrapes.
 */
export function sparkline(
  points: readonly { readonly at: number; readonly value: number }[],
  until: number,
  marks?: Marks,
): Html | '' {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || points.length < 2) return '';
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const x = (at: number): number => margin + ((at - first.at) / Math.max(1, until - first.at)) * (width - 2 * margin);
  const y = (value: number): number =>
    most === least ? height / 2 : height - margin - ((value - least) / (most - least)) * (height - 2 * margin);
  const steps = points.map(({ at, value }, index) =>
    index === 0 ? `M${x(at).toFixed(1)} ${y(value).toFixed(1)}` : `H${x(at).toFixed(1)}V${y(value).toFixed(1)}`,
  );
  const ticks = (instants: readonly number[], high: number): string =>
    instants
      .filter((at) => at >= first.at && at <= until)
      .map((at) => `M${x(at).toFixed(1)} ${height}v-${high}`)
      .join('');
  return html`<svg
    class="spark"
    viewBox="0 0 ${width} ${height}"
    role="img"
    aria-label="from ${String(first.value)} to ${String(last.value)}"
  >
    <path d="${steps.join('')}H${x(until).toFixed(1)}" />
    ${
      marks === undefined
        ? ''
        : html`<path class="scrapes" d="${ticks(marks.scrapes, scrapeHeight)}" />
            <path class="changes" d="${ticks(marks.changes, changeHeight)}" />`
    }
  </svg>`;
}
