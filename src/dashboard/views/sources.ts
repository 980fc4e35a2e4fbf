import { html } from 'hono/html';
import type { SourceView } from '../../control/methods/source.ts';
import { durationText } from '../../time-text.ts';
import { countText } from '../../view/text.ts';
import { action } from '../parts/action.ts';
import { sourceLink } from '../parts/links.ts';
import { problemList } from '../parts/problems.ts';
import { status } from '../parts/status.ts';
import { more, section, table } from '../parts/table.ts';
import { foreign, short } from '../parts/text.ts';
import { ticketMarks } from '../parts/tickets.ts';
import { age, due } from '../parts/time.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';

/** The sources of a page. */
const shown = 100;

/** The list of sources, with what is wrong with each. */
export const sources: View = {
  path: 'sources',
  async show(context) {
    const { call, query, at, now } = context;
    const text = (query.get('source') ?? '').trim().toLowerCase();
    const after = query.get('after') ?? '';
    const { sources: all, problems = [] } = await call('source.list', {});
    const found = all.filter(({ id, name }) => id > after && (id.includes(text) || name.toLowerCase().includes(text)));
    const slice = found.slice(0, shown);
    return {
      title: 'Sources',
      live: 'all',
      body: html`<div class="actions">
          <form class="action" role="search" action="sources" method="get">
            <input type="search" name="source" aria-label="Find sources" placeholder="Find sources" value="${text}" />
            <button>Find</button>
          </form>
          ${reload(context)} ${context.viewer.can('page.try') ? html`<a class="button" href="try">New source</a>` : ''}
        </div>
        ${problems.length === 0 ? '' : section('problems', 'Problems of the folder', problemList(problems))}
        ${sourceTable(slice, now, text === '' ? 'No source is defined yet. “New source” makes one from a page.' : 'No source is found by this.')}
        ${more(at, 'after', found.length > shown ? slice.at(-1)?.id : undefined)}`,
    };
  },
};

/** The action that reads the definition files again. */
export function reload(context: ViewContext): Html | '' {
  return action(context, {
    method: 'source.reload',
    label: 'Reload definitions',
    done: 'The definition files were read again.',
    cli: ['sources', '--reload'],
  });
}

function sourceTable(all: readonly SourceView[], now: number, empty: string): Html {
  return table(
    'Sources',
    all,
    [
      [
        'Source',
        ({ id, name }) => html`${sourceLink(id)} ${name === id ? '' : html`<span class="note">${short(name)}</span>`}`,
      ],
      ['State', (source) => conditionOf(source)],
      ['Provider', ({ provider }) => short(provider, 30)],
      ['Targets', ({ targets }) => targets, { isNumber: true }],
      ['Every', ({ everyMs }) => (everyMs === undefined ? '' : durationText(everyMs)), { isNumber: true }],
      ['Pulse', ({ pulse }) => (pulse === undefined ? '' : pulseText(pulse, now))],
      [
        'Trouble',
        ({ problems, tickets, session }) =>
          html`${problems.length === 0 ? '' : html`<span class="bad">${countText(problems.length, 'problem')}</span> `}
          ${session?.message === undefined ? '' : foreign(session.message)} ${ticketMarks(tickets?.slice(0, 3), now)}
          ${(tickets?.length ?? 0) > 3 ? `+${String((tickets?.length ?? 0) - 3)}` : ''}`,
      ],
    ],
    empty,
  );
}

/** The state of a source, its session and its circuit. */
export function conditionOf({ status: state, session, circuit }: SourceView): Html {
  return html`${status(state)} ${session === undefined || session.code === 'ready' ? '' : status(session.code)}
  ${circuit === undefined ? '' : status(circuit.state === 'open' ? 'circuit_open' : 'resuming', circuit.state === 'open' ? 'bad' : 'warn')}`;
}

/** How often a pulse asks, and when next. */
export function pulseText(
  { everyMs, nextAt, running, lastFailure }: NonNullable<SourceView['pulse']>,
  now: number,
): Html {
  return html`${durationText(everyMs)}
  ${running === true ? status('running') : nextAt === undefined ? '' : html`<span class="note">${due(nextAt, now)}</span>`}
  ${lastFailure === undefined ? '' : html`<span class="bad">${short(lastFailure.message, 80)}</span>`}`;
}

/** When a pulse has asked last. */
export function pulsedAt({ lastAt }: NonNullable<SourceView['pulse']>, now: number): Html | string {
  return lastAt === undefined ? 'not yet' : age(lastAt, now);
}
