import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import type { HostView } from '../../control/methods/host.ts';
import { durationText } from '../../time-text.ts';
import { bytesText, countText } from '../../view/text.ts';
import { action } from '../parts/action.ts';
import { definitionSection } from '../parts/definition.ts';
import { hostTable } from '../parts/host-table.ts';
import { projectLinks, scrapeLink, targetLabel } from '../parts/links.ts';
import { outcomeStrip } from '../parts/outcome-strip.ts';
import { ownPause } from '../parts/pauses.ts';
import { problemList } from '../parts/problems.ts';
import { scrapeTable } from '../parts/scrapes.ts';
import { status } from '../parts/status.ts';
import { facts, more, section, table } from '../parts/table.ts';
import { foreign, link, short } from '../parts/text.ts';
import { ticketTable } from '../parts/tickets.ts';
import { age, due } from '../parts/time.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';
import { conditionOf, pulsedAt, pulseText, reload } from './sources.ts';

type Shown = Result<'source.get'>;

/** How many scrapes are drawn and listed, and how many targets and hosts are shown. */
const [drawnScrapes, listedScrapes, shownTargets, shownHosts] = [120, 10, 50, 5];

/** The days that costs are told of. */
const days = 30;

/** One source: its health, its hosts, its pulse, its definition and its targets. */
export const source: View = {
  path: 'sources/:id',
  async show(context) {
    const { call, count, place, query, now, at } = context;
    const id = place('id');
    const after = Number(query.get('targets') ?? 0);
    const view = await call('source.get', { id, text: true });
    const [scrapes, costs, freshness, tickets, targets] = await Promise.all([
      call('scrape.list', { source: id, limit: drawnScrapes }),
      count('waste.report', { source: id, days }),
      count('objective.report', { source: id }),
      call('ticket.list', { source: id, limit: 20 }),
      call('target.list', { source: id, limit: shownTargets, ...(after > 0 && { after }) }),
    ]);
    const hosts = await hostsOf(context, targets.targets);
    return {
      title: view.name,
      heading: html`${foreign(view.name)} ${conditionOf(view)}`,
      live: { source: id },
      body: html`<div class="actions">${actions(context, view)} ${await ownPause(context, { source: id })}</div>
        ${factsOf(view, now)}
        ${view.problems.length === 0 ? '' : section('problems', 'Problems', problemList(view.problems))}
        ${section('health', 'Health', html`${health(costs, freshness)} ${outcomeStrip(scrapes.scrapes)}`)}
        ${tickets.tickets.length === 0 ? '' : section('tickets', 'Tickets', ticketTable(tickets.tickets, now))}
        ${section('hosts', 'Hosts', hostTable(hosts, now, 'No host of it is known yet.'))}
        ${section('targets', 'Targets', html`${targetTable(context, targets.targets)} ${more(at, 'targets', targets.next, 'More targets')}`)}
        ${section('scrapes', 'Latest scrapes', scrapeTable(context, scrapes.scrapes.slice(0, listedScrapes), 'Nothing of it has been scraped yet.'))}
        ${await definitionSection(context, view, scrapes.scrapes)}`,
    };
  },
};

function actions(context: ViewContext, { id, pulse, session }: Shown): Html {
  const params = { id };
  return html`${
      pulse === undefined || pulse.running === true
        ? ''
        : action(context, {
            method: 'source.pulse',
            params,
            label: 'Pulse now',
            tone: 'main',
            done: 'A round of the pulse has begun: each request comes in the turn of its host.',
            cli: ['sources', '--pulse', id],
          })
    }
    ${
      session === undefined
        ? ''
        : action(context, {
            method: 'source.reset',
            params,
            label: 'Reset log-in',
            done: 'Log-ins are tried again.',
            cli: ['sources', '--reset', id],
          })
    }
    ${reload(context)} <a class="button" href="sources/${encodeURIComponent(id)}/try">Try a page</a>`;
}

function factsOf(
  { id, provider, everyMs, targets, robots, userAgent, version, pulse, session, circuit }: Shown,
  now: number,
): Html {
  return facts([
    ['Id', id],
    ['Provider', short(provider, 60)],
    ['Targets', targets],
    ['Every', everyMs === undefined ? undefined : durationText(everyMs)],
    ['Pulse', pulse === undefined ? undefined : pulseText(pulse, now)],
    ['Last pulse', pulse === undefined ? undefined : pulsedAt(pulse, now)],
    [
      'Session',
      session === undefined
        ? undefined
        : html`${status(session.code)} ${session.message === undefined ? '' : foreign(session.message)}`,
    ],
    [
      'Circuit',
      circuit === undefined
        ? undefined
        : html`${circuit.state},
          ${countText(circuit.times, 'time')}${circuit.nextAt === undefined ? '' : html`, next ${due(circuit.nextAt, now)}`}`,
    ],
    ['robots.txt', robots],
    ['User agent', userAgent === undefined ? undefined : short(userAgent, 60)],
    ['Version', version === undefined ? 'none is in use' : html`<code>${short(version, 14)}</code>`],
  ]);
}

function health(costs: Result<'waste.report'> | undefined, freshness: Result<'objective.report'> | undefined): Html {
  const cost = costs?.sources[0];
  return html`${facts([...(freshness === undefined ? [] : freshnessOf(freshness)), ...(cost === undefined ? [] : costOf(cost))])}
  ${
    costs === undefined || freshness === undefined
      ? html`<p class="note">Not all is counted yet: load the page again in a moment.</p>`
      : ''
  }
  ${(cost?.advice ?? []).map(({ text }) => html`<p class="note">${foreign(text)}</p>`)}`;
}

type Facts = Parameters<typeof facts>[0];

function freshnessOf({ all }: Result<'objective.report'>): Facts {
  if (all.count === 0) return [];
  return [
    ['Within objectives', `${(100 * all.shareWithin).toFixed(1)} % of ${String(all.count)}`],
    ['Age, middle and 95 %', `${durationText(all.p50Ms)}, ${durationText(all.p95Ms)}`],
    ['Late', all.breaches === 0 ? undefined : html`<span class="bad">${String(all.breaches)}</span>`],
  ];
}

function costOf(cost: Result<'waste.report'>['sources'][number]): Facts {
  return [
    [`Scrapes in ${String(days)} days`, `${String(cost.scrapes)}, ${String(cost.unchanged)} without a change`],
    ['Requests', `${String(cost.requests)}, ${String(cost.notModified)} not modified`],
    ['Bytes', `${bytesText(cost.bytes)}, ${bytesText(cost.unchangedBytes)} for nothing new`],
    ['Processor', durationText(cost.cpuMs)],
  ];
}

/** The first hosts that the targets of the source are on. */
async function hostsOf({ call }: ViewContext, targets: Result<'target.list'>['targets']): Promise<readonly HostView[]> {
  const keys = new Set(targets.flatMap(({ key }) => key ?? []));
  const found = await Promise.all(
    [...keys].slice(0, shownHosts).map(async (key) => (await call('host.list', { key })).hosts),
  );
  return found.flat();
}

function targetTable(context: ViewContext, targets: Result<'target.list'>['targets']): Html {
  const { now } = context;
  return table(
    'Targets',
    targets,
    [
      ['Target', ({ target }) => targetLabel(target)],
      ['Address', ({ url }) => link(url)],
      ['Projects', ({ projects }) => projectLinks(context, projects)],
      ['State', ({ status: state }) => status(state)],
      [
        'Last scrape',
        ({ lastScrape }) =>
          lastScrape === undefined
            ? 'none'
            : html`${scrapeLink(lastScrape.scrape)} ${status(lastScrape.status)} ${age(lastScrape.startedAt, now)}`,
      ],
      ['Next turn', ({ dueAt }) => (dueAt === undefined ? '' : due(dueAt, now))],
    ],
    'No project tracks a target on it.',
  );
}
