import { html } from 'hono/html';
import { filters } from '../parts/filters.ts';
import { more } from '../parts/table.ts';
import { ticketTable } from '../parts/tickets.ts';
import type { View } from '../parts/view.ts';

/** The states by which tickets are listed, and what there are none of. */
const states = {
  unresolved: 'Nothing is wrong: no ticket is open.',
  open: 'No ticket waits to be taken up.',
  acknowledged: 'No ticket is acknowledged and not resolved yet.',
  resolved: 'No ticket is resolved.',
  all: 'Nothing was wrong so far.',
} as const;

/** The trouble reports on sources and hosts. */
export const tickets: View = {
  path: 'tickets',
  async show({ call, query, now, at }) {
    const state = stateOf(query.get('state'));
    const source = query.get('source') ?? '';
    const before = Number(query.get('before') ?? Number.NaN);
    const { tickets: found, next } = await call('ticket.list', {
      state,
      limit: 50,
      ...(source !== '' && { source }),
      ...(Number.isInteger(before) && { before }),
    });
    return {
      title: 'Tickets',
      live: source === '' ? 'all' : { source },
      body: html`${filters('tickets', { state }, [{ name: 'source', label: 'Source', value: source }])}
        <nav class="tabs" aria-label="States of tickets">
          ${Object.keys(states).map(
            (each) =>
              html`<a
                href="tickets?${new URLSearchParams({ state: each, ...(source !== '' && { source }) }).toString()}"
                ${each === state ? html`aria-current="true"` : ''}
                >${each}</a
              >`,
          )}
        </nav>
        ${ticketTable(found, now, source === '' ? states[state] : `No such ticket of source ${source}.`)}
        ${more(at, 'before', next, 'Older tickets')}`,
    };
  },
};

function stateOf(text: string | null): keyof typeof states {
  return text === 'open' || text === 'acknowledged' || text === 'resolved' || text === 'all' ? text : 'unresolved';
}
