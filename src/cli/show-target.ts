import type { ProjectView } from '../control/methods/project.ts';
import type { TargetView } from '../control/methods/target.ts';
import { ageText, clockText, dueText, durationText } from '../time-text.ts';
import type { TicketMark } from '../view/ticket.ts';
import { excerptLines, failureText, pagesLeftText, showScrapeLine } from './show-scrape.ts';
import { symptomText } from '../view/symptom-text.ts';
import { type Fact, factLines } from './table.ts';
import { type Terminal, showStatus } from './terminal.ts';
import { countText, othersText, plainText } from '../view/text.ts';

/** Formats one target of a project: its heading, its address and what is known of its scrapes. */
export function showTarget(terminal: Terminal, target: TargetView, project: ProjectView): string {
  const now = terminal.now();
  const { lastScrape, lastSuccessAt, crashes, parked, lastError, gone, tickets, endsAt } = target;
  const last = crashes.last === undefined ? '' : `, the last: ${plainText(crashes.last)}`;
  const facts: readonly Fact[] = [
    ['shared', target.others && othersText(target.others)],
    ['last scrape', lastScrape && showScrapeLine(terminal, lastScrape)],
    [
      'last success',
      lastSuccessAt === undefined || lastScrape?.status === 'complete' ? undefined : ageText(lastSuccessAt, now),
    ],
    [
      'not asked',
      target.conditions.includes('definition_error')
        ? terminal.paint('red', `no definition of source ${target.source} is loaded`)
        : undefined,
    ],
    ...leftFacts(target, now),
    ['waiting', target.waiting === undefined ? undefined : `scrape ${target.waiting}`],
    ['next', target.dueAt === undefined ? undefined : `${dueText(target.dueAt, now)}${gridText(target)}`],
    ['gone', gone && goneText(gone, now)],
    ...ticketFacts(tickets, now),
    ['ends', endsAt === undefined ? undefined : ageText(endsAt, now)],
    ['last error', lastError && [terminal.paint('red', failureText(lastError)), ...excerptLines(lastError)].join('\n')],
    ['crashes', crashes.total > 0 ? `${crashes.total}, ${crashes.inRow} in a row${last}` : undefined],
    [
      'parked',
      parked && `${ageText(parked.at, now)}: ${plainText(parked.reason)}; tried again ${ageText(parked.retryAt, now)}`,
    ],
  ];
  const statuses = [statusIn(project, target), ...target.conditions].map((status) => showStatus(terminal, status));
  return [
    `target ${target.target}  ${target.source}  ${statuses.join(' ')}`,
    `  ${plainText(target.url)}`,
    ...factLines(facts),
  ].join('\n');
}

/** Says why the next turn comes sooner than the interval after the last scrape: turns are at fixed times. */
function gridText({ everyMs, dueAt, lastScrape }: TargetView): string {
  if (everyMs === undefined || dueAt === undefined || lastScrape?.status !== 'complete') return '';
  const isSooner = dueAt - lastScrape.startedAt < soonerShare * everyMs;
  return isSooner ? `; every ${durationText(everyMs)} at fixed times, which spread what one site is asked` : '';
}

/** The part of an interval within which a turn is sooner than people expect. */
const soonerShare = 0.9;

/**
 * Returns the status to show of a target. Targets of an archived project keep their own status in the store, for
 * when it is restored.
 */
function statusIn(project: ProjectView, { status }: TargetView): string {
  return project.status === 'archived' && status === 'active' ? 'archived' : status;
}

/** The facts that tell the tickets of a target or a source. */
export function ticketFacts(tickets: readonly TicketMark[] = [], now: number): readonly Fact[] {
  return tickets.map((mark, at) => [at === 0 ? 'tickets' : '', markText(mark, now)]);
}

/** Formats a ticket on one line: `12, since 14:03:12: product.price: share of records with it 0 (rule lost)`. */
export function markText({ ticket, openedAt, symptoms, cause }: TicketMark, now: number): string {
  const why = cause === undefined ? '' : ` (${cause.kind.replaceAll('_', ' ')})`;
  return `${ticket}, since ${clockText(openedAt, now)}: ${symptoms.map(symptomText).join('; ')}${why}`;
}

/** Formats since when a page is gone, by the clocks of UTC. */
export function goneText({ since, times }: NonNullable<TargetView['gone']>, now: number): string {
  return `since ${clockText(since, now)}, asked ${countText(times, 'time')}`;
}

/** The facts that tell what scrapes of a target have left to later ones. */
export function leftFacts({ gaps, pagesLeft }: Pick<TargetView, 'gaps' | 'pagesLeft'>, now: number): readonly Fact[] {
  return [
    ['left out', gaps?.map((gap) => gapText(gap, now)).join('\n')],
    ['to read', pagesLeft === undefined ? undefined : pagesLeftText(pagesLeft)],
  ];
}

function gapText({ page, since }: NonNullable<TargetView['gaps']>[number], now: number): string {
  return `what lay behind page ${page} of the list ${ageText(since, now)}; the next scrapes read it`;
}
