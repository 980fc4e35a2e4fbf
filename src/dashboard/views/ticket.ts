import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import { placeText, keptTexts } from '../../view/repair-text.ts';
import { symptomText } from '../../view/symptom-text.ts';
import { countText } from '../../view/text.ts';
import type { TicketView } from '../../view/ticket.ts';
import { pagePair } from '../parts/page-pair.ts';
import { hostLink, projectLinks, scrapeLink, sourceLink } from '../parts/links.ts';
import { type Answered, orRefusal } from '../parts/refused.ts';
import { diffLines } from '../parts/side-by-side.ts';
import { facts, section, table } from '../parts/table.ts';
import { foreign, link, short } from '../parts/text.ts';
import { byOf, repairAction, ticketActions } from '../parts/ticket-actions.ts';
import { scrapeTable } from '../parts/scrapes.ts';
import { ticketStatus } from '../parts/tickets.ts';
import { age, clock } from '../parts/time.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';

/** One trouble report: what is unusual, why, the pages that show it, and what a person may do. */
export const ticket: View = {
  path: 'tickets/:ticket',
  async show(context) {
    const { call, place, now } = context;
    const view = await call('ticket.get', { ticket: Number(place('ticket')) });
    const { sources, host, symptoms, log } = view;
    const [source] = sources;
    const diff = await wantedDiff(context, view);
    const isOfSource = source !== undefined && host === undefined;
    const scrapes = isOfSource ? await orRefusal(call('scrape.list', { source, limit: 5 })) : undefined;
    return {
      title: `Ticket ${view.ticket}`,
      heading: html`Ticket ${String(view.ticket)} ${ticketStatus(view, now)}`,
      live: isOfSource && sources.length === 1 ? { source } : 'all',
      body: html`<div class="actions">${ticketActions(context, view)}</div>
        ${factsOf(context, view)}
        ${section(
          'symptoms',
          'Symptoms',
          html`<ul>
            ${symptoms.map((symptom) => html`<li>${foreign(symptomText(symptom))}</li>`)}
          </ul>`,
        )}
        ${source === undefined ? '' : await evidenceOf(context, view, diff)}
        ${
          scrapes?.ok === true
            ? section(
                'scrapes',
                `Latest scrapes of ${source}`,
                scrapeTable(context, scrapes.result.scrapes, 'It has not been scraped yet.'),
              )
            : ''
        }
        ${section(
          'log',
          'Log',
          table(
            'Log',
            log,
            [
              ['When', ({ at }) => clock(at)],
              ['What', ({ what }) => foreign(what)],
              ['Who', ({ by }) => (by === undefined ? '' : short(by, 40))],
            ],
            'Nobody has done anything with it yet.',
          ),
        )}`,
    };
  },
};

/** What is known of why it is so, which only pages of sources show. */
async function evidenceOf(
  context: ViewContext,
  view: TicketView,
  diff: Awaited<ReturnType<typeof wantedDiff>>,
): Promise<Html> {
  return html`${section('cause', 'Cause', causeOf(view))} ${section('repairs', 'Repairs', repairs(context, view, diff))}
  ${section('pages', 'Pages', await pagePair(context, view))}`;
}

function factsOf(context: ViewContext, view: TicketView): Html {
  const { now } = context;
  const { host, sources, projects, samples, snoozedUntil = 0, occurrences, targets } = view;
  return facts([
    ['Sources', sources.length === 0 ? undefined : html`${sources.map((id) => html`${sourceLink(id)} `)}`],
    ['Host', host === undefined ? undefined : hostLink(host)],
    ['Projects', projects.length === 0 ? undefined : projectLinks(context, projects, 8)],
    ['Opened', age(view.openedAt, now)],
    ['Seen', html`${countText(occurrences, 'time')}, ${age(view.lastAt, now)}`],
    ['Targets', sources.length === 0 ? undefined : targets === 0 ? 'the source as a whole' : `${targets} affected`],
    ['Assigned to', view.assignee === undefined ? undefined : short(view.assignee, 40)],
    ['Snoozed until', view.state !== 'resolved' && snoozedUntil > now ? clock(snoozedUntil) : undefined],
    [
      'Resolved',
      view.resolvedAt === undefined
        ? undefined
        : html`${age(view.resolvedAt, now)}${view.resolvedBy === undefined ? '' : html`, ${view.resolvedBy}`}`,
    ],
    ['Came back', view.reopened === 0 ? undefined : countText(view.reopened, 'time')],
    ['First scrape', view.scrape === undefined ? undefined : scrapeLink(view.scrape)],
    ['Definition', view.version === undefined ? undefined : short(view.version, 24)],
    [
      'Addresses',
      samples.length === 0
        ? undefined
        : html`<ul class="plain">
            ${samples.map((url) => html`<li>${link(url)}</li>`)}
          </ul>`,
    ],
  ]);
}

function causeOf({ cause }: TicketView): Html {
  if (cause === undefined)
    return html`<p class="empty">It is not known yet: it is searched for with the next kept page.</p>`;
  const { kind, says, rules = [] } = cause;
  return html`<p><strong>${kind.replaceAll('_', ' ')}</strong></p>
    <ul>
      ${says.map((text) => html`<li>${foreign(text)}</li>`)}
    </ul>
    ${
      rules.length === 0
        ? ''
        : table(
            'Matches of the rules',
            rules,
            [
              [
                'Rule',
                ({ record, field }) => short([record, field].filter((part) => part !== undefined).join('.'), 60),
              ],
              ['Place', ({ place }) => foreign(place)],
              ['Matched before', ({ before }) => before, { isNumber: true }],
              ['Matches now', ({ after }) => after, { isNumber: true }],
            ],
            '',
          )
    }`;
}

/** What a repair would write, where the address of the page asks for it. */
interface WantedDiff {
  readonly proposal: number;
  readonly answer: Answered<Result<'ticket.repair'>>;
}

async function wantedDiff(
  { call, query, viewer }: ViewContext,
  { ticket: number, repairs: proposed }: TicketView,
): Promise<WantedDiff | undefined> {
  const proposal = Number(query.get('repair') ?? Number.NaN);
  if (!viewer.can('ticket.repair') || proposed?.proposals[proposal - 1] === undefined) return undefined;
  const answer = await orRefusal(call('ticket.repair', { ticket: number, proposal, dryRun: true, by: byOf(viewer) }));
  return { proposal, answer };
}

function repairs(context: ViewContext, view: TicketView, wanted: WantedDiff | undefined): Html {
  const { repairs: proposed, repaired, state } = view;
  const proposals = proposed?.proposals ?? [];
  if (proposals.length + (repaired === undefined ? 0 : 1) === 0)
    return html`<p class="empty">No repair is proposed.</p>`;
  return html`${
      repaired === undefined
        ? ''
        : html`<p>
            Repaired ${age(repaired.at, context.now)} ${repaired.by === 'auto' ? 'by itself' : 'by a person'}, as
            version
            ${short(repaired.version, 24)}${repaired.recurredAt === undefined ? '' : html`; it was seen again ${age(repaired.recurredAt, context.now)}`}.
          </p>`
    }
    <ol>
      ${proposals.map(
        (repair, index) =>
          html`<li>
            <ul class="plain">
              ${repair.changes.map(
                ({ record, field, before, to }) =>
                  html`<li>
                    ${short(`${record}.${field ?? 'each'}`, 60)}: <del>${foreign(before)}</del>
                    <ins>${foreign(placeText(to))}</ins>
                  </li>`,
              )}
            </ul>
            <p class="note">
              Keeps ${keptTexts(repair).join(', ')}${repair.isSafe ? '' : '; look at it before it is made'}.
            </p>
            ${state === 'resolved' || !context.viewer.can('ticket.repair') ? '' : proposalOf(context, view, index + 1, wanted)}
          </li>`,
      )}
    </ol>`;
}

/** The link that shows what a proposal would write; once it does, the form that makes it. */
function proposalOf(
  context: ViewContext,
  { ticket: number }: TicketView,
  proposal: number,
  wanted: WantedDiff | undefined,
): Html {
  if (wanted?.proposal !== proposal)
    return html`<p>
      <a href="tickets/${String(number)}?repair=${String(proposal)}#repairs">Show what it would change</a>
    </p>`;
  const { answer } = wanted;
  if (!answer.ok) return html`<p class="bad">It cannot be made: ${foreign(answer.why)}</p>`;
  return html`<p>${foreign(answer.result.file)} would differ so:</p>
    ${diffLines(answer.result.diff, 'What the repair would change')} ${repairAction(context, number, proposal)}`;
}
