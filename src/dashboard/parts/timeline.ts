import { html } from 'hono/html';
import { plainText } from '../../view/text.ts';
import { clock } from './time.ts';
import type { Html } from './view.ts';

/** A span on a line of time; its name is its text for those who do not see it. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly tone: 'good' | 'warn' | 'bad' | '';
}

const [width, rowHeight] = [1_000, 10];

/** The most spans that are drawn. */
const mostBars = 200;

/** Draws spans below each other on one line of time, from the first beginning to the last end. Nothing where there are fewer than two. */
export function timeline(bars: readonly Bar[], name: string): Html | '' {
  if (bars.length < 2) return '';
  const drawn = bars.slice(0, mostBars);
  const first = Math.min(...drawn.map(({ from }) => from));
  const last = Math.max(...drawn.map(({ to }) => to));
  const span = Math.max(1, last - first);
  return html`<svg class="timeline" viewBox="0 0 ${width} ${drawn.length * rowHeight}" role="img" aria-label="${name}">
      ${drawn.map(({ from, to, name: told, tone }, row) => {
        const x = ((from - first) / span) * width;
        const wide = Math.max(2, ((to - from) / span) * width);
        return html`<rect
          class="${tone}"
          x="${x.toFixed(1)}"
          y="${row * rowHeight + 1}"
          width="${wide.toFixed(1)}"
          height="${rowHeight - 2}"
          ><title>${plainText(told.slice(0, 200))}</title></rect
        >`;
      })}
    </svg>
    <p class="note">${clock(first)} to ${clock(last)}</p>`;
}
