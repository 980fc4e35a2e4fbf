import { isDeepStrictEqual } from 'node:util';
import { defined } from '../defined.ts';
import { type Symptom, symptomId } from '../view/symptom.ts';
import type { Cause, TicketChange, TicketEnd, TicketFacts, TicketView } from '../view/ticket.ts';

/** What a run, a host or the planner has found wrong. */
export interface Report extends Pick<TicketFacts, 'scrape' | 'crawl' | 'version' | 'pages' | 'cause'> {
  readonly at: number;
  readonly symptoms: readonly Symptom[];
  /** Addresses at which it shows. */
  readonly samples?: readonly string[];
  /** The projects that watch what shows it. */
  readonly projects: readonly string[];
}

/** What becomes of a ticket. */
export type TicketMove = 'opened' | 'reopened' | 'resolved' | TicketChange;

/** A ticket after a move. `told` and its sentence `what` are missing where nothing is told: one more occurrence, or a ticket that is snoozed. */
export type Moved =
  | { readonly ticket: TicketView; readonly told: TicketMove; readonly what: string }
  | { readonly ticket: TicketView; readonly told?: undefined };

/** A ticket that was resolved by itself is reopened where the symptom comes back within this time, in ms: a week, so that a weekly fault is one ticket. */
const reopenedWithinMs = 7 * 86_400_000;

/** Entries of its log, addresses and projects that a ticket keeps. */
const [keptEntries, keptSamples, keptProjects] = [50, 5, 100];

/** Opens a ticket. */
export function opened(
  about: Pick<TicketFacts, 'ticket' | 'sources' | 'host'>,
  { at, symptoms, samples = [], projects, ...seen }: Report,
): TicketView {
  return {
    ...about,
    ...defined(seen),
    state: 'open',
    symptoms,
    openedAt: at,
    lastAt: at,
    occurrences: 1,
    targets: 0,
    samples: samples.slice(0, keptSamples),
    projects: projects.slice(0, keptProjects),
    reopened: 0,
    log: [{ at, what: 'opened' }],
  };
}

/**
 * A ticket that is seen once more. Symptoms that it did not have are told, and that it is seen by a run of the repaired definition. A ticket that was
 * resolved is reopened.
 */
export function occurred(before: TicketView, report: Report): Moved {
  if (before.state === 'resolved') return reopened(before, report);
  const { at, symptoms, samples = [], projects, pages, cause } = report;
  const ids = new Set(symptoms.map(symptomId));
  const kept = before.symptoms.filter((symptom) => !ids.has(symptomId(symptom)));
  const known = new Set(before.symptoms.map(symptomId));
  const added = symptoms.filter((symptom) => !known.has(symptomId(symptom)));
  const ticket: TicketView = {
    ...before,
    ...defined({ pages: before.pages ?? pages, cause: before.cause ?? cause }),
    symptoms: [...kept, ...symptoms],
    lastAt: at,
    occurrences: before.occurrences + 1,
    samples: withSamples(before, samples),
    projects: [...new Set([...before.projects, ...projects])].slice(0, keptProjects),
  };
  const { repaired: made } = before;
  if (made !== undefined && made.recurredAt === undefined && made.version === report.version)
    return recurred(ticket, report, { ...made, recurredAt: at });
  if (added.length > 0) return told(ticket, at, 'symptoms', `also ${added.map(symptomId).join(', ')}`);
  return { ticket };
}

/** The addresses that show a ticket, after more are known. */
function withSamples(before: TicketView, samples: readonly string[]): readonly string[] {
  return [...new Set([...before.samples, ...samples])].slice(0, keptSamples);
}

/** A ticket that a repair has not ended. Its cause and evidence are those of the new report, as the site may have changed again. */
function recurred(
  { cause: _cause, pages: _pages, repairs: _repairs, ...ticket }: TicketView,
  { at, scrape, crawl, version, pages, cause }: Report,
  made: NonNullable<TicketView['repaired']>,
): Moved {
  const seen = defined({ scrape, crawl, version, pages, cause });
  return told({ ...ticket, ...seen, repaired: made }, at, 'recurred', 'seen again by the repaired definition');
}

/** A resolved ticket that is open again. It keeps its log, its counts and whom it is assigned to; all else is of the new report, as another fault may show the same symptom. */
function reopened(before: TicketView, report: Report): Moved {
  const { ticket, sources, host, openedAt, occurrences, assignee, snoozedUntil, log } = before;
  const anew = opened({ ticket, sources, ...defined({ host }) }, report);
  const times = { openedAt, reopenedAt: report.at, reopened: before.reopened + 1, occurrences: occurrences + 1 };
  const snooze = snoozedUntil !== undefined && report.at < snoozedUntil ? { snoozedUntil } : {};
  return told({ ...anew, ...times, ...snooze, ...defined({ assignee }), log }, report.at, 'reopened', 'reopened');
}

const endTexts: Readonly<Record<TicketEnd, string>> = {
  healthy: 'resolved: healthy again',
  untracked: 'resolved: none of its targets is scraped any more',
  accepted: 'accepted as usual',
  person: 'resolved',
};

/** Whether a ticket ended by itself. */
function isOwnEnd(by: TicketEnd | undefined): boolean {
  return by === 'healthy' || by === 'untracked';
}

/** A ticket that has ended. One that ends by itself stays snoozed, so that it comes and goes untold meanwhile. */
export function resolved(before: TicketView, at: number, by: TicketEnd, person?: string): Moved {
  const { snoozedUntil = 0, ...rest } = before;
  const ticket = { ...rest, ...(isOwnEnd(by) && at < snoozedUntil && { snoozedUntil }) };
  const what = endTexts[by];
  return told({ ...ticket, state: 'resolved', resolvedAt: at, resolvedBy: by }, at, 'resolved', what, person);
}

/** A ticket that a person knows of. */
export function acknowledged(ticket: TicketView, at: number, person?: string): Moved {
  return told({ ...ticket, state: 'acknowledged' }, at, 'acknowledged', 'acknowledged', person);
}

/** A ticket that is somebody's, or nobody's. */
export function assigned(before: TicketView, at: number, assignee: string | undefined, person?: string): Moved {
  const { assignee: _, ...ticket } = before;
  const what = assignee === undefined ? 'assigned to nobody' : `assigned to ${assignee}`;
  return told({ ...ticket, ...defined({ assignee }) }, at, 'assigned', what, person);
}

/** A ticket of which nothing is told until an instant. */
export function snoozed(ticket: TicketView, at: number, until: number, person?: string): Moved {
  const what = `snoozed until ${new Date(until).toISOString()}`;
  return told({ ...ticket, snoozedUntil: until }, at, 'snoozed', what, person);
}

/** A ticket whose snooze is over. One that has ended by itself meanwhile is told as resolved, which was not told then. */
export function unsnoozed({ snoozedUntil: _over, ...ticket }: TicketView, at: number): Moved {
  return told(ticket, at, ticket.state === 'resolved' ? 'resolved' : 'unsnoozed', 'the snooze is over');
}

/** A ticket whose cause is known, with pages that show it where there are any. */
export function diagnosed(
  before: TicketView,
  at: number,
  cause: Cause,
  { pages, samples = [] }: Pick<Report, 'pages' | 'samples'>,
): Moved {
  const ticket = {
    ...before,
    ...defined({ pages: pages ?? before.pages }),
    samples: withSamples(before, samples),
    cause,
  };
  return told(ticket, at, 'cause', `the cause is ${cause.kind.replaceAll('_', ' ')}`);
}

/** A ticket for which rules are proposed. That there are none any more is not told; that more pages give the same rules, only where it makes the first one safe. */
export function repairable(ticket: TicketView, at: number, repairs: NonNullable<TicketView['repairs']>): Moved {
  if (repairs.proposals.length === 0 || isDeepStrictEqual(rulesOf(ticket.repairs), rulesOf(repairs)))
    return { ticket: { ...ticket, repairs } };
  const count = repairs.proposals.length;
  return told({ ...ticket, repairs }, at, 'proposed', `${count} ${count === 1 ? 'repair is' : 'repairs are'} proposed`);
}

function rulesOf(repairs: TicketView['repairs']) {
  return repairs && [repairs.version, repairs.proposals[0]?.isSafe, ...repairs.proposals.map(({ changes }) => changes)];
}

/** A ticket whose definition has been repaired; what was proposed is of the version before. */
export function repaired(
  { repairs: _repairs, ...ticket }: TicketView,
  at: number,
  { what, ...made }: Omit<NonNullable<TicketView['repaired']>, 'at'> & { readonly what: string },
  person?: string,
): Moved {
  return told({ ...ticket, repaired: { at, ...made } }, at, 'repaired', what, person);
}

/** Whether a ticket that is not open is taken up again by a symptom that comes back, in place of a new one. */
export function isReopened({ state, resolvedBy, resolvedAt = 0 }: TicketView, at: number): boolean {
  return state === 'resolved' && isOwnEnd(resolvedBy) && at - resolvedAt < reopenedWithinMs;
}

/** What events say of a ticket. */
export function factsOf({
  projects: _projects,
  snoozedUntil: _snoozed,
  resolvedAt: _at,
  resolvedBy: _by,
  reopened: _reopened,
  reopenedAt: _reopenedAt,
  log: _log,
  ...facts
}: TicketView): TicketFacts {
  return facts;
}

/** Writes what has become of a ticket into its log. It is told unless the ticket is snoozed. */
function told(before: TicketView, at: number, move: TicketMove, what: string, by?: string): Moved {
  const ticket = { ...before, log: [...before.log, { at, what, ...defined({ by }) }].slice(-keptEntries) };
  const isQuiet = ticket.snoozedUntil !== undefined && at < ticket.snoozedUntil;
  return isQuiet && move !== 'snoozed' ? { ticket } : { ticket, told: move, what };
}
