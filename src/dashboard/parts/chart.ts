import { html } from 'hono/html';
import { countText } from '../../view/text.ts';
import { assetPath } from './assets.ts';
import { type Marks, sparkline } from './sparkline.ts';
import { short } from './text.ts';
import { age } from './time.ts';
import type { Html } from './view.ts';

/** Draws how a figure went over time, with marks of scrapes and changes. A script makes a chart with axes of it; without one it stays a line. */
export function chart(
  name: string,
  points: readonly { readonly at: number; readonly value: number }[],
  marks: Marks,
  until: number,
): Html {
  const data = [
    inSeconds(points.map(({ at }) => at)),
    points.map(({ value }) => value),
    inSeconds(marks.scrapes),
    inSeconds(marks.changes),
  ];
  // By its id a figure stays that of its metric when the page is patched and others have come before it.
  return html`<figure
    id="chart-${name}"
    class="chart"
    data-chart="${JSON.stringify(data)}"
    data-script="${assetPath('uplot.js')}"
    data-style="${assetPath('uplot.css')}"
    data-until="${String(until / 1_000)}"
  >
    <figcaption>${short(name, 60)}</figcaption>
    ${sparkline(points, until, marks)}
  </figure>`;
}

function inSeconds(instants: readonly number[]): readonly number[] {
  return instants.map((at) => at / 1_000);
}

/** Says what the marks of charts are, and how many there are. */
export function marksLegend({ scrapes, changes }: Marks, now: number): Html {
  return html`<p class="note">
    Short ticks are the last ${countText(scrapes.length, 'scrape')}, long ones
    ${countText(changes.length, 'change')}${changes.length === 0 ? '' : html`, the last ${age(Math.max(...changes), now)}`}.
  </p>`;
}
