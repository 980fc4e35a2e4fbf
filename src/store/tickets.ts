import {
  diagnosed,
  factsOf,
  isReopened,
  type Moved,
  occurred,
  opened,
  repairable,
  repaired,
  type Report,
  resolved,
} from '../health/ticket-life.ts';
import { type Symptom, symptomId } from '../view/symptom.ts';
import type { Cause, TicketView } from '../view/ticket.ts';
import type { Change, Store } from './store.ts';
import type { TargetRow } from './tables/rows.ts';

/** What a report is about. */
export interface TicketPlace {
  readonly source: string;
  /** Set for symptoms of a host, whose sources share one ticket: its politeness key. */
  readonly host?: string;
  /** The target that shows them; 0 for the scrapes of many small targets together, or for the source as a whole. */
  readonly member: number;
}

/** The place of what is of no source: the worker processes. No id of a source is empty. */
export const ofWorkers: TicketPlace = { source: '', member: 0 };

/** Healthy runs in a row of each of its members with which a ticket is resolved: one may be luck. */
const healthyRuns = 2;

/** Tickets that are kept; the oldest go. */
const keptTickets = 100_000;

/** Symptoms that are looked at, whether their ticket is over, whenever a ticket is opened. */
const lookedSymptoms = 20;

/**
 * Opens a ticket for symptoms, or adds an occurrence to those that have them. Symptoms that come together, or from a target that has an
 * unresolved ticket of the same family, are of one ticket. To be called within a transaction.
 *
 * @returns the ticket that took up the symptoms which no ticket had, else the oldest of those that had them.
 */
export function reportTrouble(store: Store, change: Change, place: TicketPlace, report: Report): TicketView {
  const scope = scopeOf(place);
  const byTicket = new Map<number, Symptom[]>();
  const unclaimed: Symptom[] = [];
  for (const symptom of report.symptoms) {
    const known = claimedBy(store, scope, symptom, report.at);
    if (known === undefined) unclaimed.push(symptom);
    else byTicket.set(known, [...(byTicket.get(known) ?? []), symptom]);
  }
  if (unclaimed.length > 0) {
    const into = [...byTicket.keys()].toSorted((one, other) => one - other)[0] ?? overlapping(store, place, unclaimed);
    if (into === undefined) return open(store, change, place, { ...report, symptoms: unclaimed });
    byTicket.set(into, [...(byTicket.get(into) ?? []), ...unclaimed]);
  }
  const seen = [...byTicket].toSorted(([one], [other]) => one - other);
  const [first] = seen.map(([ticket, symptoms]) => add(store, change, place, { ...report, symptoms }, ticket));
  if (first === undefined) throw new Error('expected a report to name a symptom');
  return first;
}

/**
 * Notes a healthy run of a target: it showed none of the symptoms of its tickets but those in `still`. A ticket all of whose members were
 * healthy twice in a row is resolved. To be called within a transaction.
 *
 * @param judges - whether the run says anything of a symptom. Default: of all.
 */
export function noteHealthy(
  store: Store,
  change: Change,
  place: TicketPlace,
  {
    still = new Set(),
    judges = () => true,
  }: { readonly still?: ReadonlySet<string>; readonly judges?: (symptom: Symptom) => boolean } = {},
): void {
  const { tickets } = store;
  if (tickets.isNone()) return;
  const { source, member } = place;
  for (const { ticket, row } of tickets.ofMember(source, member)) {
    const found = tickets.get(ticket);
    if (found === undefined || found.state === 'resolved' || found.reopened !== row.life) {
      tickets.removeMember(source, member, ticket);
      continue;
    }
    const isOfOther = found.symptoms.every((symptom) => familyOf(symptom) !== 'gives');
    if (isOfOther || found.symptoms.some((symptom) => still.has(symptomId(symptom)) || !judges(symptom))) continue;
    if (row.healthy + 1 < healthyRuns) tickets.putMember(source, member, ticket, { ...row, healthy: row.healthy + 1 });
    else leave(store, change, place, found, 'healthy');
  }
}

/** Ends what a member has to do with its tickets that have only such symptoms, as its trouble is over for certain. */
export function endTrouble(
  store: Store,
  change: Change,
  place: TicketPlace,
  isOver: (symptom: Symptom) => boolean,
): void {
  for (const ticket of ticketsOf(store, place))
    if (ticket.symptoms.every(isOver)) leave(store, change, place, ticket, 'healthy');
}

/** Takes a target that is not scraped any more from its tickets, and with the last active target of a source the source as a whole. */
export function leaveTickets(
  store: Store,
  change: Change,
  { source, target }: Pick<TargetRow, 'source' | 'target'>,
): void {
  const members = store.counts.activeOf(source) === 0 ? [target, 0] : [target];
  for (const member of members) {
    const place = { source, member };
    for (const ticket of ticketsOf(store, place)) leave(store, change, place, ticket, 'untracked');
  }
}

/** The tickets that a target shows, of those that are not resolved; of its source as a whole with member 0. */
export function ticketsOf({ tickets }: Pick<Store, 'tickets'>, place: TicketPlace): TicketView[] {
  if (tickets.isNone()) return [];
  return tickets.ofMember(place.source, place.member).flatMap(({ ticket, row }) => {
    const found = tickets.get(ticket);
    return found !== undefined && found.state !== 'resolved' && found.reopened === row.life ? [found] : [];
  });
}

/** Whether a ticket that is not resolved says that what a source gives is unusual. */
export function hasTrouble({ tickets }: Pick<Store, 'tickets'>, source: string): boolean {
  if (tickets.isNone()) return false;
  for (const { symptoms } of tickets.unresolvedOf(source))
    if (symptoms.some((symptom) => familyOf(symptom) === 'gives')) return true;
  return false;
}

/** Stores the cause of a ticket, which is told, and two pages that show it, in place of an earlier one; addresses that show it are added to those that are known. Resolves when it is committed. */
export function setCause(
  store: Store,
  number: number,
  cause: Cause,
  evidence: Pick<Report, 'pages' | 'samples'> = {},
): Promise<void> {
  return moveUnresolved(store, number, (ticket, at) => diagnosed(ticket, at, cause, evidence));
}

/** Stores rules that are proposed for a ticket, which is told. Resolves when it is committed. */
export function setRepairs(store: Store, number: number, repairs: NonNullable<TicketView['repairs']>): Promise<void> {
  return moveUnresolved(store, number, (ticket, at) => repairable(ticket, at, repairs));
}

/** Stores what becomes of a ticket, unless it is resolved meanwhile. */
function moveUnresolved(store: Store, number: number, move: (ticket: TicketView, at: number) => Moved): Promise<void> {
  return store.write((change) => {
    const ticket = store.tickets.get(number);
    if (ticket !== undefined && ticket.state !== 'resolved') keepTicket(store, change, move(ticket, change.at));
  });
}

/** Stores that the definition of a ticket's source has been repaired, which is told. Resolves with the ticket when it is on disk. */
export function setRepaired(
  store: Store,
  number: number,
  made: Parameters<typeof repaired>[2],
  person?: string,
): Promise<TicketView | undefined> {
  return store.write(
    (change) => {
      const ticket = store.tickets.get(number);
      return ticket && keepTicket(store, change, repaired(ticket, change.at, made, person));
    },
    { durable: true },
  );
}

/** The ticket that has a symptom already, or that is reopened by it. */
function claimedBy({ tickets }: Store, scope: string, symptom: Symptom, at: number): number | undefined {
  const number = tickets.newestOf(scope, symptomId(symptom));
  const ticket = number === undefined ? undefined : tickets.get(number);
  return ticket !== undefined && (ticket.state !== 'resolved' || isReopened(ticket, at)) ? number : undefined;
}

/** The oldest unresolved ticket of a target whose symptoms are of the same family. */
function overlapping(store: Store, place: TicketPlace, symptoms: readonly Symptom[]): number | undefined {
  const families = new Set(symptoms.map(familyOf));
  return ticketsOf(store, place).find((ticket) => ticket.symptoms.some((symptom) => families.has(familyOf(symptom))))
    ?.ticket;
}

const ownFamilies: ReadonlySet<string> = new Set([
  ...['failing', 'late', 'infeasible', 'workers_offline', 'workers_failing', 'workers_waiting'],
]);

/** What has nothing to do with each other: what a source gives, whether it answers, how fresh that is, what its host allows, and what worker processes do. */
function familyOf({ kind }: Symptom): string {
  return ownFamilies.has(kind) ? kind : 'gives';
}

function sourcesOf({ source }: TicketPlace): readonly string[] {
  return source === ofWorkers.source ? [] : [source];
}

function open(store: Store, change: Change, place: TicketPlace, report: Report): TicketView {
  const { tickets } = store;
  const host = place.host === undefined ? {} : { host: place.host };
  const ticket = tickets.add((number) => opened({ ticket: number, sources: sourcesOf(place), ...host }, report));
  tickets.trim(keptTickets, 10, ({ state }) => (state === 'resolved' ? undefined : 'stays'));
  // Those of sources that were removed, and of expectations that were changed, come back no more.
  tickets.forgetSymptoms(lookedSymptoms, (each) => each.state === 'resolved' && !isReopened(each, change.at));
  forgetBadPage(store, place, report);
  return keepTicket(store, change, { ticket: joined(store, place, ticket), told: 'opened', what: 'opened' });
}

/** When the run began that shows a ticket on a target; `undefined` for what no scrape shows. */
export function runBegan(
  store: Store,
  { scrape, crawl }: Pick<TicketView, 'scrape' | 'crawl'>,
  target: number,
): number | undefined {
  const startedAt = scrape === undefined ? undefined : store.scrapes.get(scrape)?.startedAt;
  const crawlAt = crawl === undefined ? undefined : store.crawls.newest(target)?.startedAt;
  return startedAt === undefined ? undefined : Math.min(startedAt, crawlAt ?? Infinity);
}

/** Has a ticket its own first bad page at the address of its target: one from before its run is of another fault, and not known to show this one. */
function forgetBadPage(store: Store, { member }: TicketPlace, report: Report): void {
  const url = store.targets.get(member)?.url;
  const began = runBegan(store, report, member);
  if (url !== undefined && began !== undefined) store.vault.forgetBad(member, url, began);
}

function add(store: Store, change: Change, place: TicketPlace, report: Report, number: number): TicketView {
  const before = store.tickets.get(number);
  if (before === undefined) throw new Error(`ticket ${number}: expected it to be kept as long as its symptoms`);
  const { ticket, ...told } = occurred(
    before.state === 'resolved' ? { ...before, sources: sourcesOf(place) } : before,
    report,
  );
  // It is opened again, recurs or has a further symptom.
  if (ticket.log !== before.log) forgetBadPage(store, place, report);
  return keepTicket(store, change, { ticket: joined(store, place, ticket), ...told });
}

/** A ticket with one more member and source, of which no healthy run is known. */
function joined({ tickets }: Store, place: TicketPlace, ticket: TicketView): TicketView {
  const { source, member } = place;
  const isNew = tickets.member(source, member, ticket.ticket)?.life !== ticket.reopened;
  tickets.putMember(source, member, ticket.ticket, { healthy: 0, life: ticket.reopened });
  const sources = [...new Set([...ticket.sources, ...sourcesOf(place)])];
  return { ...ticket, sources, targets: ticket.targets + (isNew && member > 0 ? 1 : 0) };
}

/** A ticket without a member; with the last one it is resolved. */
function leave(
  store: Store,
  change: Change,
  place: TicketPlace,
  ticket: TicketView,
  by: 'healthy' | 'untracked',
): void {
  const { source, member } = place;
  store.tickets.removeMember(source, member, ticket.ticket);
  if (store.runs.unusual.get([source, member])?.ticket === ticket.ticket) store.runs.unusual.remove([source, member]);
  const left = { ...ticket, targets: Math.max(0, ticket.targets - (member > 0 ? 1 : 0)) };
  const isLeft = left.targets > 0 || isOfWholeSource(store, left);
  keepTicket(store, change, isLeft ? { ticket: left } : resolved(left, change.at, by));
}

/** Whether one of the sources of a ticket shows it as a whole, and not by a target alone. */
function isOfWholeSource({ tickets }: Store, { ticket, sources, reopened }: TicketView): boolean {
  return sources.some((source) => tickets.member(source, 0, ticket)?.life === reopened);
}

/** Stores a ticket and tells what has become of it. To be called within a transaction. */
export function keepTicket(store: Store, change: Change, moved: Moved): TicketView {
  const { tickets } = store;
  const { ticket } = moved;
  const scope = ticket.host === undefined ? (ticket.sources[0] ?? ofWorkers.source) : hostScope(ticket.host);
  for (const symptom of ticket.symptoms) tickets.setNewest(scope, symptomId(symptom), ticket.ticket);
  tickets.put(ticket);
  if (moved.told === undefined) return ticket;
  const { projects, sources } = ticket;
  const [source] = sources;
  const subjects = { projects, ...(ticket.host === undefined && source !== undefined && { source }) };
  const data = factsOf(ticket);
  switch (moved.told) {
    case 'opened':
    case 'reopened':
      change.tell({ type: `ticket.${moved.told}`, ...subjects, data });
      return ticket;
    case 'resolved':
      if (ticket.resolvedBy !== undefined)
        change.tell({ type: 'ticket.resolved', ...subjects, data: { ...data, by: ticket.resolvedBy } });
      return ticket;
    default:
      change.tell({ type: 'ticket.changed', ...subjects, data: { ...data, change: moved.told, what: moved.what } });
      return ticket;
  }
}

function scopeOf({ source, host }: TicketPlace): string {
  return host === undefined ? source : hostScope(host);
}

function hostScope(host: string): string {
  return `@${host}`;
}
