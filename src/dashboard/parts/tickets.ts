import { html } from 'hono/html';
import type { Symptom } from '../../view/symptom.ts';
import { symptomText } from '../../view/symptom-text.ts';
import type { TicketMark, TicketView } from '../../view/ticket.ts';
import type { Html } from './view.ts';
import { sourceLink, ticketLink } from './links.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import { short } from './text.ts';
import { age } from './time.ts';

/** Shows tickets as a table. */
export function ticketTable(tickets: readonly TicketView[], now: number, empty = 'No tickets.'): Html {
  return table(
    'Tickets',
    tickets,
    [
      ['Ticket', ({ ticket }) => ticketLink(ticket)],
      ['State', (ticket) => ticketStatus(ticket, now)],
      [
        'Source',
        ({ sources }) =>
          sources.length === 0
            ? 'worker processes'
            : html`${sources.slice(0, 2).map((id) => html`${sourceLink(id)} `)}${sources.length > 2 ? `+${sources.length - 2}` : ''}`,
      ],
      [
        'What',
        ({ symptoms, cause, repairs }) =>
          html`${whatText(symptoms)}${cause === undefined ? '' : html` <span class="note">${cause.kind.replaceAll('_', ' ')}</span>`}${(repairs?.proposals.length ?? 0) > 0 ? html` ${status('repair proposed', 'good')}` : ''}`,
      ],
      ['Opened', ({ openedAt }) => age(openedAt, now)],
      ['Seen', ({ lastAt }) => age(lastAt, now)],
      ['Who', ({ assignee }) => (assignee === undefined ? '' : short(assignee, 30))],
    ],
    empty,
  );
}

/** The state of a ticket, which may be snoozed. */
export function ticketStatus({ state, snoozedUntil }: TicketView, now: number): Html {
  return state === 'open' && snoozedUntil !== undefined && snoozedUntil > now ? status('snoozed') : status(state);
}

/** Names tickets on one line each, with links. */
export function ticketMarks(marks: readonly TicketMark[] = [], now: number): Html | undefined {
  if (marks.length === 0) return undefined;
  return html`<ul class="plain">
    ${marks.map(
      ({ ticket, state, symptoms, openedAt }) =>
        html`<li>
          ${ticketLink(ticket)} ${status(state)} ${whatText(symptoms)} <span class="note">${age(openedAt, now)}</span>
        </li>`,
    )}
  </ul>`;
}

/** The first symptom in words, and how many more there are. */
function whatText(symptoms: readonly Symptom[]): Html {
  const [first] = symptoms;
  return html`${first === undefined ? '' : short(symptomText(first), 110)}${symptoms.length > 1 ? ` +${symptoms.length - 1}` : ''}`;
}
