import { stepsOf } from '../store/steps.ts';
import type { Store } from '../store/store.ts';
import { runBegan } from '../store/tickets.ts';
import type { EvidenceRow } from '../store/tables/vault.ts';
import type { KeptPage } from '../vault/entry.ts';
import type { Vault } from '../vault/vault.ts';
import type { TicketView } from '../view/ticket.ts';

/** Two kept pages of one address. */
export interface PagePair {
  /** The address that was asked for. */
  readonly url: string;
  /** The last good page, and the first one since then that is not as it was. */
  readonly good: KeptPage;
  readonly bad: KeptPage;
}

/** Targets, addresses of a target and records of a target that are looked at. */
const [lookedTargets, lookedAddresses, lookedRecords] = [200, 40, 100];

/** A run of many targets takes so long, in ms, at most. */
const roundMs = 86_400_000;

/**
 * The pages that show a ticket beside the last good ones of their addresses, of all targets that have it: those of their own addresses, those that
 * are not as they were, then those on which their records were seen, also where these merely changed.
 */
export async function* keptPagePairs(store: Store, vault: Vault, ticket: TicketView): AsyncGenerator<PagePair> {
  for (const asChanged of [false, true])
    for (const target of targetsOf(store, ticket)) {
      const since = sinceOf(store, ticket, target);
      for (const url of await addressesOf(store, vault, { ticket, target, since })) {
        const pair = await pairAt(vault, target, url, asChanged);
        if (pair !== undefined && pair.bad.observedAt >= since) yield { ...pair, url };
      }
      const redirected = asChanged ? undefined : await redirectedPair(store, vault, ticket, target);
      if (redirected !== undefined) yield redirected;
    }
}

/** The last good page of the own address of a target, and the page to which its request was redirected by the scrape that showed a ticket first. */
async function redirectedPair(
  store: Store,
  vault: Vault,
  ticket: TicketView,
  target: number,
): Promise<PagePair | undefined> {
  const scrape = ticket.scrape === undefined ? undefined : store.scrapes.get(ticket.scrape);
  if (scrape?.target !== target) return undefined;
  const [first, second] = stepsOf(store, scrape, { limit: 2 });
  if (first === undefined || second === undefined || first.url === second.url || !isRedirect(first.status))
    return undefined;
  const before = (await vault.evidenceOf(target, first.url))?.good;
  // The page may have been read before, by a redirect as well.
  const { good, bad = good } = (await vault.evidenceOf(target, second.url)) ?? {};
  if (before === undefined || bad === undefined) return undefined;
  const [old, now] = [await vault.read(before), await vault.read(bad)];
  return old.ok && now.ok ? { url: first.url, good: old.page, bad: now.page } : undefined;
}

function isRedirect(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 400;
}

/** The targets that show a ticket; where it is of many small ones together, the first targets of its source. */
export function targetsOf(store: Store, ticket: TicketView): number[] {
  const [source = ''] = ticket.sources;
  const members = [...store.tickets.membersOf(source, ticket.ticket)].slice(0, lookedTargets);
  const own = members.filter((member) => member > 0);
  return own.length > 0 ? own : [...store.targets.numbersOfSource(source, { limit: lookedTargets })];
}

/** When the run began that showed a ticket first: what was bad before has another cause. */
function sinceOf(store: Store, ticket: TicketView, target: number): number {
  const [source = ''] = ticket.sources;
  const isRound = store.tickets.member(source, 0, ticket.ticket) !== undefined;
  const began = isRound ? undefined : runBegan(store, ticket, target);
  return began ?? (ticket.reopenedAt ?? ticket.openedAt) - roundMs;
}

interface Place {
  readonly ticket: TicketView;
  readonly target: number;
  readonly since: number;
}

async function addressesOf(store: Store, vault: Vault, { ticket, target, since }: Place): Promise<Set<string>> {
  const own = store.targets.get(target)?.url;
  const addresses = new Set(own === undefined ? [] : [own]);
  for (const { url, at } of await vault.badOf(target, lookedRecords)) if (at >= since) addresses.add(url);
  const types = new Set(ticket.symptoms.flatMap(({ record }) => record ?? []));
  for (const { type, url, page } of store.records.ofTarget(target, { limit: lookedRecords })) {
    if (addresses.size >= lookedAddresses) break;
    if (types.size > 0 && !types.has(type)) continue;
    addresses.add(url);
    if (page !== undefined) addresses.add(page.url);
  }
  return addresses;
}

/** The pair of an address. One that has no bad page has a pair where its last two good ones are looked at. */
async function pairAt(
  vault: Vault,
  target: number,
  url: string,
  asChanged: boolean,
): Promise<Omit<PagePair, 'url'> | undefined> {
  const [before, after] = digestsOf((await vault.evidenceOf(target, url)) ?? {}, asChanged);
  if (before === undefined || after === undefined) return undefined;
  const [good, bad] = [await vault.read(before), await vault.read(after)];
  return good.ok && bad.ok ? { good: good.page, bad: bad.page } : undefined;
}

function digestsOf({ good, before, bad }: EvidenceRow, asChanged: boolean) {
  if (bad === undefined) return asChanged ? [before, good] : [];
  return asChanged ? [] : [good, bad];
}
