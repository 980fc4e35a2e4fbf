import { html } from 'hono/html';
import type { HostView } from '../../control/methods/host.ts';
import { durationText } from '../../time-text.ts';
import { holdText } from '../../view/host-text.ts';
import { hostLink, sourceLink } from './links.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import { age } from './time.ts';
import type { Html } from './view.ts';

/** Shows hosts as a table: when each can next be asked and why not sooner, and what waits for it. */
export function hostTable(hosts: readonly HostView[], now: number, empty: string): Html {
  return table(
    'Hosts',
    hosts,
    [
      ['Host', ({ key }) => hostLink(key)],
      [
        'Sources',
        ({ sources }) =>
          html`${sources.slice(0, 3).map(({ id }) => html`${sourceLink(id)} `)}${sources.length > 3 ? `+${sources.length - 3}` : ''}`,
      ],
      ['Next turn', (host) => nextTurn(host, now)],
      ['Waiting', ({ waiting }) => waiting, { isNumber: true }],
      ['Under way', ({ open }) => open, { isNumber: true }],
      ['Pace', ({ delayMs }) => (delayMs === undefined ? '' : durationText(delayMs)), { isNumber: true }],
      ['Latency', ({ latencyMs }) => (latencyMs === undefined ? '' : durationText(latencyMs)), { isNumber: true }],
      ['Trouble', trouble],
    ],
    empty,
  );
}

/** Shows when a host can next be asked, and why not sooner. */
export function nextTurn({ nextAt, hold }: HostView, now: number): Html {
  const isPaused = hold?.kind === 'pause';
  const when =
    nextAt === undefined
      ? isPaused
        ? 'once it is resumed'
        : 'once one under way has ended'
      : nextAt <= now
        ? 'at any time'
        : age(nextAt, now);
  return html`${when}${hold === undefined ? '' : html` <span class="note">${holdText(hold)}</span>`}`;
}

function trouble({ failures, backOffStep, retryAfter, sources }: HostView): Html {
  return html`${failures === 0 ? '' : html`${status('failing', 'bad')} ${String(failures)} in a row `}
  ${backOffStep === 0 ? '' : html`${status('back-off', 'warn')} step ${String(backOffStep)} `}
  ${retryAfter === undefined ? '' : status('Retry-After', 'warn')}
  ${sources.some(({ circuit }) => circuit !== undefined) ? status('circuit_open') : ''}
  ${sources.some(({ robotsTxt }) => robotsTxt?.unreachable !== undefined) ? status('no robots.txt', 'warn') : ''}`;
}
