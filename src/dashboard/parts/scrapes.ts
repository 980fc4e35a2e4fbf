import { html } from 'hono/html';
import type { ScrapeOfProjects } from '../../control/methods/scrape.ts';
import { durationText } from '../../time-text.ts';
import { bytesText } from '../../view/text.ts';
import type { ScrapeView } from '../../view/scrape.ts';
import type { Html, ViewContext } from './view.ts';
import { projectLinks, scrapeLink, sourceLink, targetLabel } from './links.ts';
import { status, toneOf } from './status.ts';
import { table } from './table.ts';
import { short } from './text.ts';
import { age } from './time.ts';
import { timeline } from './timeline.ts';

/** Shows scrapes as a table. */
export function scrapeTable(context: ViewContext, scrapes: readonly ScrapeOfProjects[], empty: string): Html {
  const { now } = context;
  return table(
    'Scrapes',
    scrapes,
    [
      ['Scrape', ({ scrape }) => scrapeLink(scrape)],
      ['Project', ({ projects }) => projectLinks(context, projects)],
      ['Source', ({ source, target }) => html`${sourceLink(source)} ${targetLabel(target)}`],
      ['State', ({ status: state, reason }) => html`${status(state)}${reason === 'manual' ? ' by hand' : ''}`],
      ['Began', ({ startedAt }) => age(startedAt, now)],
      [
        'Took',
        ({ startedAt, endedAt }) => (endedAt === undefined ? '' : durationText(endedAt - startedAt)),
        { isNumber: true },
      ],
      ['Size', ({ bytes }) => bytesText(bytes), { isNumber: true }],
      ['Found', (scrape) => found(scrape)],
    ],
    empty,
  );
}

/** Draws scrapes on a line of time, each as wide as it took; one that has not ended lasts until now. */
export function scrapeTimeline(scrapes: readonly ScrapeOfProjects[], now: number): Html | '' {
  return timeline(
    scrapes.map(({ scrape, source, status: state, startedAt, endedAt }) => ({
      from: startedAt,
      to: endedAt ?? now,
      name: `scrape ${scrape} of ${source}: ${state}${endedAt === undefined ? '' : `, took ${durationText(endedAt - startedAt)}`}`,
      tone: toneOf(state),
    })),
    'Scrapes by time',
  );
}

/** Shows what a scrape found, or why it failed. */
export function found({ counts, failure, errors = 0, endReason }: ScrapeView): Html {
  if (failure !== undefined) return html`<span class="bad">${short(failure.message, 90)}</span>`;
  const told = countsText({ ...counts, errors });
  return told === '' ? short(endText(endReason)) : html`${told}`;
}

/** Why a scrape ended where it did, in words. */
export function endText(reason = ''): string {
  return endTexts[reason] ?? reason.replaceAll('_', ' ');
}

const endTexts: Readonly<Record<string, string>> = {
  end: 'the end of the list',
  known: 'what was known',
  loop: 'pages that repeat',
};

/** How many records are new, changed and so on; those of which there are none are left out. */
export function countsText({
  added,
  changed,
  confirmed,
  missing = 0,
  gone = 0,
  errors = 0,
}: ScrapeView['counts'] & { readonly errors?: number }): string {
  const parts = [
    [added, 'new'],
    [changed, 'changed'],
    [confirmed, 'confirmed'],
    [missing, 'missing'],
    [gone, 'gone'],
    [errors, 'unreadable'],
  ] as const;
  return parts.flatMap(([count, name]) => (count > 0 ? `${count} ${name}` : [])).join(', ');
}
