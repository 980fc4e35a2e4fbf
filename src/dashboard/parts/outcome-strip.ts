import { html } from 'hono/html';
import type { ScrapeView } from '../../view/scrape.ts';
import { countText } from '../../view/text.ts';
import { utcText } from './time.ts';
import type { Html } from './view.ts';

/** Bars are that wide and high, with a gap between them. */
const [width, height, gap] = [8, 36, 2];

/** The height of a bar, so that outcomes differ by more than their colours, and its tone. */
const shapes: Readonly<Record<string, readonly [share: number, tone: 'good' | 'warn' | 'bad' | '']>> = {
  changed: [0.7, 'good'],
  unchanged: [0.35, 'good'],
  aborted: [0.85, 'warn'],
  failed: [1, 'bad'],
};

/** Draws what scrapes came to, the oldest first: low where nothing changed, higher where something did, full where one failed. */
export function outcomeStrip(scrapes: readonly ScrapeView[]): Html | '' {
  const ended = scrapes.flatMap((scrape) => {
    const outcome = outcomeOf(scrape);
    return outcome === undefined ? [] : [{ scrape, outcome }];
  });
  if (ended.length === 0) return '';
  const counts = Map.groupBy(ended, ({ outcome }) => outcome);
  const told = Array.from(counts, ([outcome, of]) => `${of.length} ${outcome}`).join(', ');
  const wide = ended.length * (width + gap);
  return html`<figure class="strip">
    <figcaption>The last ${countText(ended.length, 'scrape')}: ${told}</figcaption>
    <div class="scroll">
      <svg
        width="${wide}"
        height="${height}"
        viewBox="0 0 ${wide} ${height}"
        preserveAspectRatio="none"
        role="img"
        aria-label="${told}"
      >
        ${ended.toReversed().map(({ scrape, outcome }, index) => {
          const [share, tone] = shapes[outcome] ?? [0.5, ''];
          const high = Math.round(share * height);
          return html`<rect
            class="${tone}"
            x="${index * (width + gap)}"
            y="${height - high}"
            width="${width}"
            height="${high}"
          >
            <title>${scrape.scrape}: ${outcome}, ${utcText(scrape.startedAt)}</title>
          </rect>`;
        })}
      </svg>
    </div>
  </figure>`;
}

function outcomeOf({ status, counts: { added, changed } }: ScrapeView): keyof typeof shapes | undefined {
  if (status === 'complete') return added + changed > 0 ? 'changed' : 'unchanged';
  return status === 'failed' || status === 'aborted' ? status : undefined;
}
