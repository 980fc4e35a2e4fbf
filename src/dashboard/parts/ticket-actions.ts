import { html } from 'hono/html';
import type { TicketView } from '../../view/ticket.ts';
import { writtenText } from '../../time-text.ts';
import { action } from './action.ts';
import { spanOptions } from './spans.ts';
import type { Html, ViewContext, Viewer } from './view.ts';

/** For how long a ticket is snoozed where a person chooses nothing else, in milliseconds. */
const usualSnoozeMs = 86_400_000;

/** Under which name the log of a ticket says that a viewer did something. */
export function byOf({ label }: Viewer): string {
  return label.slice(0, 100);
}

/** What a person may do with a ticket; nothing where it is resolved. */
export function ticketActions(context: ViewContext, { ticket, state, assignee }: TicketView): Html | '' {
  if (state === 'resolved') return '';
  const by = byOf(context.viewer);
  const params = { ticket, by };
  const words = ['ticket', String(ticket)];
  return html`${
    state === 'acknowledged'
      ? ''
      : action(context, {
          method: 'ticket.acknowledge',
          params,
          label: 'Acknowledge',
          done: 'Acknowledged.',
          cli: [...words, '--acknowledge'],
          tone: 'main',
        })
  }
  ${action(context, {
    method: 'ticket.assign',
    params,
    label: 'Assign',
    done: 'Assigned.',
    // An empty name is for nobody.
    cli: [...words, { option: '--assign', input: 'to', value: assignee ?? by, empty: '' }],
    inputs: html`<label
      >Assign to <input name="to" maxlength="100" value="${assignee ?? by}" autocomplete="off"
    /></label>`,
  })}
  ${action(context, {
    method: 'ticket.snooze',
    params,
    label: 'Snooze',
    done: 'Snoozed.',
    cli: [...words, { option: '--snooze', input: 'forMs', value: writtenText(usualSnoozeMs) }],
    inputs: html`<label
      >For
      <select name="forMs">
        ${spanOptions(usualSnoozeMs)}
      </select></label
    >`,
  })}
  ${action(context, {
    method: 'ticket.accept',
    params,
    label: 'Accept',
    done: 'What it showed is usual from now on.',
    cli: [...words, '--accept'],
    confirm: 'What its targets give now is taken for usual from now on, and the ticket ends.',
  })}
  ${action(context, {
    method: 'ticket.resolve',
    params,
    label: 'Resolve',
    done: 'Resolved.',
    cli: [...words, '--resolve'],
    confirm: 'The ticket ends. What is seen again opens another one.',
  })}`;
}

/** Makes one of the repairs that are proposed for a ticket. */
export function repairAction(context: ViewContext, ticket: number, proposal: number): Html | '' {
  return action(context, {
    method: 'ticket.repair',
    params: { ticket, proposal, by: byOf(context.viewer) },
    label: 'Make this repair',
    tone: 'main',
    done: 'The definition is repaired, and its targets are scraped again.',
    cli: ['ticket', String(ticket), '--accept', String(proposal)],
    leadsTo: `tickets/${ticket}`,
  });
}
