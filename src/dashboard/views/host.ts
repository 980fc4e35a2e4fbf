import { html } from 'hono/html';
import type { HostView } from '../../control/methods/host.ts';
import { durationText } from '../../time-text.ts';
import { circuitText, robotsText } from '../../view/host-text.ts';
import { countText } from '../../view/text.ts';
import { nextTurn } from '../parts/host-table.ts';
import { sourceLink } from '../parts/links.ts';
import { ownPause } from '../parts/pauses.ts';
import { facts, section, table } from '../parts/table.ts';
import { foreign, short } from '../parts/text.ts';
import { age, due } from '../parts/time.ts';
import type { Html, View } from '../parts/view.ts';

/** One host: its pace, what waits for it, and what is known of its robots.txt. */
export const host: View = {
  path: 'hosts/:key',
  async show(context) {
    const { call, place, now } = context;
    const key = place('key');
    const [view] = (await call('host.list', { key })).hosts;
    if (view === undefined)
      return {
        title: 'Host',
        heading: foreign(key),
        body: html`<p class="empty">Nothing is known of this host, or not any more. <a href="hosts">All hosts</a></p>`,
      };
    return {
      title: key,
      heading: foreign(key),
      live: 'all',
      body: html`<div class="actions">${await ownPause(context, { host: key })}</div>
        ${factsOf(view, now)}
        ${section(
          'waiting',
          'Waiting',
          html`${table(
              'The first that wait',
              view.next,
              [
                ['Source', ({ source }) => (source === undefined ? 'robots.txt or a log-in' : sourceLink(source))],
                ['Due', ({ dueAt }) => due(dueAt, now)],
                ['Deadline', ({ deadlineAt }) => (deadlineAt === undefined ? '' : age(deadlineAt, now))],
              ],
              'Nothing waits for a turn.',
            )}
            <p><a href="schedule?host=${encodeURIComponent(key)}">Its coming turns</a></p>`,
        )}
        ${section('sources', 'Sources', sources(view, now))}`,
    };
  },
};

function factsOf(view: HostView, now: number): Html {
  const { delayMs, open, waiting, latencyMs, failures, backOffStep, retryAfter } = view;
  return facts([
    ['Next turn', nextTurn(view, now)],
    ['Pace', delayMs === undefined ? undefined : `${durationText(delayMs)} between requests, as a rule`],
    ['Under way', countText(open, 'request')],
    ['Waiting', countText(waiting, 'request')],
    ['Latency', latencyMs === undefined ? undefined : `${durationText(latencyMs)}, the last`],
    ['Failures', failures === 0 ? undefined : `${failures} in a row, back-off at step ${backOffStep}`],
    [
      'Retry-After',
      retryAfter === undefined
        ? undefined
        : html`ends
          ${age(retryAfter.until, now)}${retryAfter.capped ? '; it asked for more than the 24 h that are honoured' : ''}`,
    ],
  ]);
}

function sources({ sources: all, cut }: HostView, now: number): Html {
  return html`${table(
    'Sources',
    all,
    [
      ['Source', ({ id }) => sourceLink(id)],
      [
        'Definition',
        ({ delayMs, concurrency }) =>
          `a pace of ${durationText(delayMs)}, ${countText(concurrency, 'request')} at a time`,
      ],
      [
        'robots.txt',
        ({ robots, robotsTxt }) =>
          robots === 'ignore'
            ? 'ignored'
            : robotsTxt === undefined
              ? 'obeyed; its origin is not known yet'
              : foreign(`obeyed: ${robotsText(robotsTxt, now)}`),
      ],
      ['Circuit', ({ circuit }) => (circuit === undefined ? 'closed' : circuitText(circuit, now))],
      ['User-Agent', ({ userAgent }) => (userAgent === undefined ? '' : short(userAgent, 60))],
    ],
    'No source of it is loaded.',
  )}
  ${cut === undefined ? '' : html`<p class="note">It has more sources than these.</p>`}`;
}
