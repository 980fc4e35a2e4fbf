import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import { durationText } from '../../time-text.ts';
import { isHeldUp, queuesText } from '../../view/queues.ts';
import { bytesText, countText } from '../../view/text.ts';
import { changedRecords } from '../parts/changes.ts';
import { isStuck, sinkTable } from '../parts/sinks.ts';
import { status } from '../parts/status.ts';
import { section, table } from '../parts/table.ts';
import { foreign, short } from '../parts/text.ts';
import { age, due } from '../parts/time.ts';
import { heldTable } from '../parts/held.ts';
import { projectLinks, sourceLink, targetLabel } from '../parts/links.ts';
import { scrapeTable } from '../parts/scrapes.ts';
import { ticketTable } from '../parts/tickets.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';

/** How many of each list are shown. */
const shown = 8;

const dayMs = 86_400_000;

/** The start page: what needs a person, what is fresh and late, and what the daemon does. */
export const overview: View = {
  path: '',
  async show(context) {
    const { call, count, now } = context;
    const [state, tickets, held, freshness, scrapes, costs, recent, outbox] = await Promise.all([
      call('daemon.status', {}),
      call('ticket.list', { limit: shown }),
      call('held.list', { limit: shown }),
      count('objective.report', {}),
      call('scrape.list', { limit: shown }),
      count('waste.report', { days: 1 }),
      count('event.recent', { types: ['record.*'], limit: shown }),
      // It walks all dead letters.
      count('sink.list', {}),
    ]);
    const late = (freshness?.next ?? []).filter(({ deadlineAt }) => deadlineAt <= now).slice(0, shown);
    const stuck = (outbox?.sinks ?? []).filter(isStuck);
    const waiting = held.together.length + held.values.length;
    return {
      title: 'Overview',
      live: 'all',
      body: html`${stateLine(state, now)}
        <div class="cards">
          ${card('tickets', 'Tickets', state.tickets.open, `${state.tickets.acknowledged} acknowledged`, 'bad')}
          ${card('held', 'Held', held.next === undefined ? waiting : `${waiting}+`, 'wait for a person', 'warn')}
          ${freshness === undefined ? uncounted('?#late', 'Late') : card('?#late', 'Late', freshness.all.breaches, `of ${countText(freshness.all.count, 'objective')}`, 'bad')}
          ${card('projects', 'Projects', state.projects.active, countText(state.targets.active, 'active target'))}
          ${card('schedule', 'Scrapes', state.scrapes.running, `running, ${state.scrapes.waiting} waiting`)}
          ${costs === undefined ? uncounted('sources', requests) : card('sources', requests, costs.all.requests, `since 00:00 UTC: ${bytesText(costs.all.bytes)}, ${costs.all.scrapes - costs.all.unchanged} of ${countText(costs.all.scrapes, 'scrape')} with changes`)}
        </div>
        ${section(
          'attention',
          'Needs a person',
          state.tickets.open + waiting + late.length + stuck.length === 0
            ? html`<p class="empty">
                ${freshness === undefined || outbox === undefined ? 'Nothing but what is being counted: what may be late, and sinks.' : 'Nothing. All is as it should be.'}
              </p>`
            : html`${tickets.tickets.length === 0 ? '' : ticketTable(tickets.tickets, now)}
              ${waiting === 0 ? '' : heldTable(context, held)} ${lateTable(context, late)}
              ${
                stuck.length === 0
                  ? ''
                  : html`<h3>Sinks that cannot send</h3>
                      ${sinkTable(stuck, now, '')}`
              }`,
        )}
        ${section('changes', 'Latest changes of the last day', changesOf(context, recent))}
        ${section('scrapes', 'Latest scrapes', scrapeTable(context, scrapes.scrapes, 'Nothing has been scraped yet.'))}`,
    };
  },
};

/** The name of the card of requests, which are counted by days. */
const requests = 'Requests today';

function changesOf(context: ViewContext, recent: Result<'event.recent'> | undefined): Html {
  if (recent === undefined)
    return html`<p class="empty">They are being looked for: load the page again in a moment.</p>`;
  const ofDay = recent.events.filter(({ at }) => at > context.now - dayMs);
  return html`${changedRecords(context, ofDay, 'Nothing has changed within a day.')}
  ${recent.next !== undefined && recent.events.length < shown ? html`<p class="note">Of the events, the newest 10,000 were looked at.</p>` : ''}`;
}

function card(to: string, name: string, figure: number | string, note: string, tone: 'bad' | 'warn' | '' = ''): Html {
  return html`<a class="card ${figure === 0 ? '' : tone}" href="${to}">
    <span class="name">${name}</span> <span class="figure">${String(figure)}</span> <span class="note">${note}</span>
  </a>`;
}

/** A card whose figure is not known yet. */
function uncounted(to: string, name: string): Html {
  return card(to, name, '…', 'being counted: load the page again in a moment');
}

function stateLine(
  { state, remaining, paused, queues, version, startedAt, loopDelayMs }: Result<'daemon.status'>,
  now: number,
): Html {
  const heldUp = queues !== undefined && isHeldUp(queues) ? queuesText(queues, version, now) : undefined;
  const isWell = state === 'ready' && paused === undefined && heldUp === undefined;
  return html`<p class="state">
    ${status(state, isWell ? 'good' : 'warn')} since ${age(startedAt, now)}
    ${remaining > 0 ? html`· ${countText(remaining, 'actor')} still to start` : ''}
    ${paused === undefined ? '' : html`· <strong>scraping is paused</strong>: ${foreign(paused)}`}
    ${
      heldUp === undefined
        ? ''
        : html`· <a href="workers"><strong>queues</strong></a
            >: ${foreign(heldUp)}`
    }
    ${loopDelayMs > 100 ? html`· the event loop is ${durationText(loopDelayMs)} late` : ''}
  </p>`;
}

function lateTable(context: ViewContext, late: Result<'objective.report'>['next']): Html | '' {
  if (late.length === 0) return '';
  return html`<h3 id="late">Late</h3>
    ${table(
      'Late objectives',
      late,
      [
        ['What', ({ projects }) => projectLinks(context, projects)],
        [
          'Where',
          ({ source, target, field }) =>
            html`${sourceLink(source)} ${targetLabel(target)} ${field === undefined ? '' : short(field, 40)}`,
        ],
        ['Objective', ({ objectiveMs }) => durationText(objectiveMs)],
        ['Age', ({ ageMs }) => durationText(ageMs)],
        ['Since', ({ deadlineAt }) => due(deadlineAt, context.now)],
      ],
      '',
    )}`;
}
