import type { TicketView } from '../../view/ticket.ts';
import type { Environment } from '../lmdb/environment.ts';
import { numberedTable, table } from '../lmdb/table.ts';
import { namingSources } from './source-names.ts';

/**
 * What a ticket is about: a source, or a host whose sources fail, written `@` and its politeness key, which no id of a source is.
 */
export type TicketScope = string;

/** What shows the symptoms of a ticket: a target of a source by its number, or 0 for the source as a whole. */
type MemberKey = [source: string, member: number, ticket: number];

/** What is known of a member of a ticket. */
export interface MemberRow {
  /** Its healthy runs in a row. */
  readonly healthy: number;
  /** How often the ticket had been reopened then: a row of an earlier life counts no more. */
  readonly life: number;
}

/** Tickets by number, with the newest one of each symptom, and the targets that show the symptoms of those that are not resolved. */
export function ticketTable(environment: Environment) {
  const rows = numberedTable<TicketView>(environment, 'tickets', (_, name) =>
    namingSources(environment, table<number, TicketView>(environment, name), {
      row: (row, rename) => ({ ...row, sources: row.sources.map(rename) }),
    }),
  );
  const unresolved = table<number, 'open' | 'acknowledged'>(environment, 'tickets.unresolved');
  /** Tickets that are not resolved, by source: those of one source are asked for by each list of sources, and within commits. */
  const ofSource = namingSources(
    environment,
    table<[source: string, ticket: number], true>(environment, 'tickets.of_source'),
    { key: 0 },
  );
  /** Until when tickets are snoozed, also those that have ended by themselves meanwhile. */
  const snoozed = table<number, number>(environment, 'tickets.snoozed');
  const bySymptom = namingSources(
    environment,
    table<[scope: TicketScope, symptom: string], number>(environment, 'tickets.by_symptom'),
    { key: 0 },
  );
  const members = namingSources(environment, table<MemberKey, MemberRow>(environment, 'tickets.members'), { key: 0 });
  /** Whether no ticket is unresolved, as far as that is known: each scrape asks. */
  let isNone: boolean | undefined;
  environment.onUndone(() => {
    isNone = undefined;
  });
  /** The symptom that was looked at last by `forgetSymptoms`. */
  let looked: readonly [scope: TicketScope, symptom: string] | undefined;

  return {
    get: rows.get,
    last: rows.last,
    rows: rows.rows,
    add: rows.add,
    trim: rows.trim,
    /** Stores a ticket, and whether it is among those that are not resolved. */
    put(ticket: TicketView): void {
      rows.put(ticket.ticket, ticket);
      if (ticket.state === 'resolved') unresolved.remove(ticket.ticket);
      else unresolved.put(ticket.ticket, ticket.state);
      for (const source of ticket.sources)
        if (ticket.state === 'resolved') ofSource.remove([source, ticket.ticket]);
        else ofSource.put([source, ticket.ticket], true);
      if (ticket.snoozedUntil === undefined) snoozed.remove(ticket.ticket);
      else snoozed.put(ticket.ticket, ticket.snoozedUntil);
      isNone = undefined;
    },
    /** Whether every ticket is resolved. */
    isNone: (): boolean => (isNone ??= Array.from(unresolved.keys({ limit: 1 })).length === 0),
    /** The number of the tickets that are not resolved, by state; `snoozed` counts the open ones that are snoozed at that instant, which `open` does not. */
    countByState(at: number): { readonly open: number; readonly acknowledged: number; readonly snoozed: number } {
      const counts = { open: 0, acknowledged: 0, snoozed: 0 };
      for (const state of unresolved.rows()) counts[state] += 1;
      for (const { key, row: until } of snoozed.entries())
        if (at < until && unresolved.get(key) === 'open') counts.snoozed += 1;
      return { ...counts, open: counts.open - counts.snoozed };
    },
    /** The tickets that are snoozed, each with when that is over. */
    snoozes: () => snoozed.entries(),
    /** The tickets that are not resolved, the newest first. */
    unresolved: (): Generator<TicketView> => rowsOf([...unresolved.keys({ newestFirst: true })]),
    /** The tickets of a source that are not resolved, the newest first; those of hosts that name it as well. */
    unresolvedOf: (source: string): Generator<TicketView> =>
      rowsOf(
        Array.from(
          ofSource.keys({ from: [source, 0], before: [source, Infinity], newestFirst: true }),
          ([, ticket]) => ticket,
        ),
      ),
    /** The newest ticket with a symptom, by `symptomId`. */
    newestOf: (scope: TicketScope, symptom: string): number | undefined => bySymptom.get([scope, symptom]),
    setNewest: (scope: TicketScope, symptom: string, ticket: number): void => bySymptom.put([scope, symptom], ticket),
    /** Forgets which ticket the next `limit` symptoms had last, where that ticket is over or no longer kept. Goes round through all of them. */
    forgetSymptoms(limit: number, isOver: (ticket: TicketView) => boolean): void {
      const found = [...bySymptom.entries({ ...(looked !== undefined && { after: [...looked] }), limit })];
      for (const { key, row: number } of found) {
        const ticket = rows.get(number);
        if (ticket === undefined || isOver(ticket)) bySymptom.remove(key);
      }
      looked = found.length < limit ? undefined : found.at(-1)?.key;
    },
    /** The tickets whose symptoms a member shows or has shown. */
    ofMember: (source: string, member: number): { readonly ticket: number; readonly row: MemberRow }[] =>
      Array.from(members.entries({ from: [source, member, 0], before: [source, member + 1, 0] }), ({ key, row }) => ({
        ticket: key[2],
        row,
      })),
    member: (source: string, member: number, ticket: number): MemberRow | undefined =>
      members.get([source, member, ticket]),
    putMember: (source: string, member: number, ticket: number, row: MemberRow): void =>
      members.put([source, member, ticket], row),
    /** The members of a ticket among those of a source. */
    *membersOf(source: string, ticket: number): Generator<number> {
      for (const [, member, of] of members.keys({ from: [source, 0, 0], before: [source, Number.MAX_SAFE_INTEGER, 0] }))
        if (of === ticket) yield member;
    },
    removeMember: (source: string, member: number, ticket: number): boolean => members.remove([source, member, ticket]),
  };
  function* rowsOf(numbers: readonly number[]): Generator<TicketView> {
    for (const number of numbers) {
      const row = rows.get(number);
      if (row !== undefined) yield row;
    }
  }
}
