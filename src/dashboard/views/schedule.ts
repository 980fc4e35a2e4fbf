import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import { countText } from '../../view/text.ts';
import { typed } from '../parts/action.ts';
import { dayLine } from '../parts/day-line.ts';
import { filters } from '../parts/filters.ts';
import { hostLink, projectLinks, sourceLink, targetLabel } from '../parts/links.ts';
import { pauseAction, pauseTable } from '../parts/pauses.ts';
import { orRefusal } from '../parts/refused.ts';
import { section, table } from '../parts/table.ts';
import { foreign, link } from '../parts/text.ts';
import { clock, due } from '../parts/time.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';

const dayMs = 86_400_000;

/** The most coming turns and scrapes that are looked at, the most hosts that are drawn, and the most turns in the table. */
const [looked, drawn, listed] = [1_000, 40, 50];

type Turn = Result<'schedule.list'>['turns'][number];
type Scrape = Result<'scrape.list'>['scrapes'][number];

/** What is to come: the day of each host, the next turns, and what is paused. */
export const schedule: View = {
  path: 'schedule',
  async show(context) {
    const { call, query, now } = context;
    const [source, project, host] = ['source', 'project', 'host'].map((name) => (query.get(name) ?? '').trim());
    const wanted = { ...(source && { source }), ...(project && { project }) };
    const seesAll = context.viewer.can('daemon.status');
    const narrowing = filters('schedule', {}, [
      { name: 'source', label: 'Source', value: source ?? '' },
      { name: 'project', label: 'Project', value: project ?? '' },
      { name: 'host', label: 'Host', value: host ?? '' },
    ]);
    if (!seesAll && !project)
      return {
        title: 'Schedule',
        body: html`${narrowing}
          <p class="empty">Your token is limited to labels: name a project to see its schedule.</p>`,
      };
    const [status, answer, scrapes] = await Promise.all([
      seesAll ? call('daemon.status', {}) : undefined,
      orRefusal(call('schedule.list', { ...wanted, ...(host && { key: host }), before: now + dayMs, limit: looked })),
      orRefusal(call('scrape.list', { ...wanted, limit: looked })),
    ]);
    return {
      title: 'Schedule',
      live: 'all',
      body: html`${status?.paused === undefined ? '' : html`<p class="outcome error">Scraping is paused: ${foreign(status.paused)}</p>`}
      ${narrowing}
      ${
        answer.ok
          ? day(answer.result, scrapes.ok ? scrapes.result : { scrapes: [] }, host !== '', now)
          : html`<p class="empty">${foreign(answer.why)}</p>`
      }
      ${status === undefined ? '' : section('pauses', 'Pauses', html`${pauseTable(context, status.pauses ?? [])} ${pauseForms(context, source, host)}`)}
      ${answer.ok ? section('turns', 'Next turns', nextTurns(context, answer.result.turns)) : ''}`,
    };
  },
};

function day(
  { turns, more, unloaded }: Result<'schedule.list'>,
  { scrapes, next }: Result<'scrape.list'>,
  isOneHost: boolean,
  now: number,
): Html {
  const last = turns.at(-1);
  const oldest = scrapes.at(-1);
  const isCut = next !== undefined && oldest !== undefined && oldest.startedAt > now - dayMs;
  return html`${section('day', 'A day behind, a day to come', days(turns, scrapes, isOneHost, now))}
  ${isCut ? html`<p class="note">Behind are drawn the latest ${String(scrapes.length)} scrapes, back to ${clock(oldest.startedAt)}.</p>` : ''}
  ${more && last !== undefined ? html`<p class="note">To come are drawn the next ${String(turns.length)} turns, up to ${clock(last.dueAt)}.</p>` : ''}
  ${
    unloaded === undefined
      ? ''
      : html`<p class="note">
          Left out, as no definition is loaded: ${unloaded.slice(0, 10).map((id) => html`${sourceLink(id)} `)}
          ${unloaded.length > 10 ? `+${unloaded.length - 10}` : ''}
        </p>`
  }`;
}

/**
 * The hosts with the next turns, each with what was scraped of its targets and what is to come. Turns alone tell their hosts, so that scrapes of all
 * targets without one stand together below; where one host is wanted, they are left out.
 */
function days(turns: readonly Turn[], scrapes: readonly Scrape[], isOneHost: boolean, now: number): Html {
  const hosts = Map.groupBy(turns, ({ key }) => key);
  const byTarget = new Map(turns.map(({ target, key }) => [target, key]));
  const behind = Map.groupBy(
    scrapes.filter(({ startedAt, status }) => status !== 'waiting' && startedAt > now - dayMs),
    ({ target }) => byTarget.get(target),
  );
  const rowOf = (key: string | undefined, of: readonly Turn[]) => ({
    key,
    past: (behind.get(key) ?? []).map(({ startedAt }) => startedAt),
    ahead: of.map(({ dueAt }) => Math.max(now, dueAt)),
  });
  const rows = Array.from(hosts, ([key, of]) => rowOf(key, of));
  const others = behind.has(undefined) && !isOneHost ? [rowOf(undefined, [])] : [];
  return html`${table(
    'Hosts by the hour',
    [...rows.slice(0, drawn), ...others],
    [
      ['Host', ({ key }) => (key === undefined ? 'Other targets' : hostLink(key))],
      ['24 h behind, 24 h to come', ({ past, ahead }) => dayLine(past, ahead, now)],
      ['Scraped', ({ past }) => past.length, { isNumber: true }],
      ['To come', ({ ahead }) => ahead.length, { isNumber: true }],
    ],
    'Nothing is due within a day.',
  )}
  ${rows.length > drawn ? html`<p class="note">The first ${String(drawn)} of ${countText(rows.length, 'host')}.</p>` : ''}`;
}

function nextTurns(context: ViewContext, turns: readonly Turn[]): Html {
  return table(
    'Next turns',
    turns.slice(0, listed),
    [
      ['When', ({ dueAt, dayOnly }) => html`${due(dueAt, context.now)}${dayOnly === true ? ' at the soonest' : ''}`],
      ['Project', ({ projects }) => projectLinks(context, projects)],
      ['Source', ({ source, target }) => html`${sourceLink(source)} ${targetLabel(target)}`],
      ['Address', ({ url }) => link(url)],
      ['Host', ({ key }) => hostLink(key)],
      ['Because', ({ by }) => (by === undefined ? '' : by.replaceAll('_', ' '))],
    ],
    'Nothing is due within a day.',
  );
}

function pauseForms(context: ViewContext, source: string | undefined, host: string | undefined): Html {
  const named = (name: 'source' | 'host', label: string, value = '') =>
    html`<label
      >${label} <input name="${name}" value="${value}" required autocomplete="off" spellcheck="false"
    /></label>`;
  return html`<div class="pausing">
    ${pauseAction(context, 'Pause source', { source: source ?? '' }, named('source', 'Source', typed(context, 'schedule.pause', 'source') || source))}
    ${pauseAction(context, 'Pause host', { host: host ?? '' }, named('host', 'Host, by its key', typed(context, 'schedule.pause', 'host') || host))}
    ${pauseAction(context, 'Pause everything', {})}
  </div>`;
}
