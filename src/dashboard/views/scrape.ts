import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import { durationText } from '../../time-text.ts';
import { bytesText } from '../../view/text.ts';
import { action } from '../parts/action.ts';
import { projectLinks, sourceLink, targetLabel } from '../parts/links.ts';
import { countsText, endText, found } from '../parts/scrapes.ts';
import { status } from '../parts/status.ts';
import { facts, more, section, table } from '../parts/table.ts';
import { foreign, json, link, short, value, visibleText } from '../parts/text.ts';
import { age, clock } from '../parts/time.ts';
import { timeline } from '../parts/timeline.ts';
import type { Html, View } from '../parts/view.ts';

/** The steps of a page. */
const shown = 100;

type Step = Result<'scrape.get'>['steps'][number];

/** One scrape: what came of it, its steps on a line of time, and all that is known of it as JSON. */
export const scrape: View = {
  path: 'scrapes/:scrape',
  async show(context) {
    const { call, place, query, now, at } = context;
    const number = Number(place('scrape'));
    const { scrape: view, steps } = await call('scrape.get', {
      scrape: number,
      afterStep: Number(query.get('afterStep') ?? 0),
      limit: shown,
    });
    const { source, status: state, startedAt, endedAt, reason, failure, version } = view;
    const isOpen = endedAt === undefined;
    return {
      title: `Scrape ${number}`,
      heading: html`Scrape ${String(number)} ${status(state)}`,
      live: { source },
      body: html`<div class="actions">
          ${
            isOpen
              ? action(context, {
                  method: 'scrape.cancel',
                  params: { scrape: number },
                  label: 'Cancel',
                  done: 'Cancelled: nothing of it is written any more.',
                  cli: ['cancel', String(number)],
                })
              : ''
          }
        </div>
        ${facts([
          ['Projects', projectLinks(context, view.projects, 5)],
          ['Source', html`${sourceLink(source)} ${targetLabel(view.target)}`],
          ['Asked for', reason === 'manual' ? 'by hand' : 'as it was due'],
          ['Began', clock(startedAt)],
          ['Took', isOpen ? html`begun ${age(startedAt, now)}` : durationText(endedAt - startedAt)],
          ['Size', bytesText(view.bytes)],
          ['Found', found(view)],
          ['Ended by', endText(view.endReason)],
          ['Definition', version === '' ? undefined : html`<code>${short(version, 13)}</code>`],
        ])}
        ${failure === undefined ? '' : html`<p class="outcome error">${foreign(`${failure.code}: ${failure.message}`)}</p>`}
        ${failure?.excerpt === undefined ? '' : html`<pre tabindex="0" role="group" aria-label="The beginning of the answer">${visibleText(failure.excerpt.slice(0, 2_000))}</pre>`}
        ${section(
          'steps',
          'Steps',
          html`${timeline(steps.map(barOf), 'Steps by time')} ${stepTable(steps, now)}
          ${more(at, 'afterStep', steps.length === shown ? steps.at(-1)?.step : undefined, 'Further steps')}`,
        )}
        ${section('json', 'As JSON', json({ scrape: view, steps }, 'The scrape as JSON'))}`,
    };
  },
};

function barOf({ at, elapsedMs, step, failure, status: answered }: Step) {
  return {
    from: at - elapsedMs,
    to: at,
    name: `step ${step}: ${answered ?? failure?.code ?? ''} in ${durationText(elapsedMs)}`,
    tone: failure === undefined ? ('good' as const) : ('bad' as const),
  };
}

function stepTable(steps: readonly Step[], now: number): Html {
  return table(
    'Steps',
    steps,
    [
      ['Step', ({ step }) => String(step)],
      ['Address', ({ url, location }) => html`${link(url)}${location === undefined ? '' : html` → ${link(location)}`}`],
      [
        'Answer',
        ({ status: answered, failure }) =>
          html`${answered ?? ''}
          ${failure === undefined ? '' : html`<span class="bad">${short(failure.message, 120)}</span>`}`,
      ],
      ['When', ({ at }) => age(at, now)],
      ['Took', ({ elapsedMs }) => durationText(elapsedMs), { isNumber: true }],
      ['Size', ({ bytes }) => bytesText(bytes), { isNumber: true }],
      ['Records', ({ counts }) => countsText(counts)],
      ['Notes', (step) => notes(step)],
    ],
    'No step has been taken.',
  );
}

function notes({ absent, unparsed, notes: told = [] }: Step): Html {
  return html`<ul class="plain note">
    ${absent.map((field) => html`<li>no ${short(field, 60)}</li>`)}
    ${unparsed.map(({ record, field, text, expected }) => html`<li>${short(`${record}.${field}`, 60)}: expected ${short(expected, 60)}, got ${value(text)}</li>`)}
    ${told.map((note) => html`<li>${foreign(note)}</li>`)}
  </ul>`;
}
