import { type Catalogue, isPlugged, type LoadedSource } from '../definition/catalogue.ts';
import { defined } from '../defined.ts';
import type { Page } from '../fetch/page.ts';
import { openProvider } from '../provider/declared.ts';
import type { Reading } from '../provider/provider.ts';
import type { Store } from '../store/store.ts';
import { setRepairs } from '../store/tickets.ts';
import { comparedPage, fetchedPage } from '../vault/kept-page.ts';
import type { Vault } from '../vault/vault.ts';
import { mostRepairs, type Repair, type RepairQuestion } from '../view/repair.ts';
import type { CauseKind, TicketView } from '../view/ticket.ts';
import { type PagePair, keptPagePairs } from './evidence.ts';

/** What is needed to propose repairs for a ticket. */
export interface ProposeDeps {
  store(): Store;
  /** Returns the open vault; nothing where no pages are kept. */
  vault(): Vault | undefined;
  catalogue(): Catalogue;
  /** Searches repairs on a thread, beside the reading of a page. Rejects with the signal's reason when that fires first. */
  search(page: Page, reading: Reading, signal: AbortSignal): Promise<readonly Repair[]>;
}

/** Causes that leave what was known on the page. */
const repairable: ReadonlySet<CauseKind> = new Set(['rule_lost', 'layout_moved', 'field_removed', 'unknown']);

/** Pairs of pages that are compared. */
const mostPairs = 10;

/** Bytes of a page that is looked at, at most, and the time that a search may take. */
const [mostBytes, limitMs] = [4 * 1024 * 1024, 30_000];

/**
 * Searches rules that would have read what was known last, by the last good and the first bad pages of the targets of a ticket, and stores them
 * with it. Does nothing for a ticket whose cause is another, and where no more pages show it than those by which it has proposals for the present
 * version.
 *
 * @returns the best of them and the source, where there are any.
 */
export async function proposeRepairs(
  deps: ProposeDeps,
  number: number,
  signal: AbortSignal,
): Promise<{ readonly loaded: LoadedSource; readonly best: Repair } | undefined> {
  const store = deps.store();
  const vault = deps.vault();
  const ticket = store.tickets.get(number);
  const loaded = ticket && repairableSource(deps.catalogue(), ticket);
  if (ticket === undefined || loaded === undefined || vault === undefined) return undefined;
  const { id } = loaded.source;
  const { page, items } = openProvider(loaded.source);
  const lost = lostOf(ticket, page);
  const pairs = await pagesOf(store, vault, ticket);
  const known = ticket.repairs?.version === loaded.version ? (ticket.repairs.pages ?? mostPairs) : 0;
  if (lost.length === 0 || pairs.length <= known) return undefined;
  let proposals: readonly Repair[] = [];
  for (const [itemType, alike] of Map.groupBy(pairs, ({ bad }) => bad.itemType)) {
    const read = itemType === undefined ? page : items?.reading(itemType);
    const [first] = alike;
    if (read === undefined || first === undefined) continue;
    const repair: RepairQuestion = {
      pairs: alike.map(({ good, bad }) => ({ good: comparedPage(good), bad: comparedPage(bad) })),
      lost,
      records: itemType === undefined ? 'keyed' : 'keyless',
    };
    // A line of its own, so that the search makes no page of the source wait.
    const reading = { source: `@repair/${id}`, plan: read.plan, limitMs, repair };
    proposals = together(proposals, await deps.search(fetchedPage(first.bad), reading, signal));
  }
  const [best] = proposals;
  // Those of a definition that is in use no more can no longer be made.
  const isOutdated = ticket.repairs !== undefined && ticket.repairs.version !== loaded.version;
  if (best === undefined && !isOutdated) return undefined;
  await setRepairs(store, number, { version: loaded.version, proposals, pages: pairs.length });
  return best && { loaded, best };
}

/**
 * The source of a ticket for which repairs are to be searched; `undefined` where its cause is another one, where there are proposals for the
 * present version that are safe to make without a person or were searched by as many pages as are looked at, and where that version came of a repair by which no run has shown the ticket again.
 */
export function repairableSource(
  { sources: all }: Pick<Catalogue, 'sources'>,
  { state, host, sources: [id = ''], cause, repairs, repaired }: TicketView,
): LoadedSource | undefined {
  const loaded = all.get(id);
  if (state === 'resolved' || host !== undefined || loaded === undefined || isPlugged(loaded)) return undefined;
  if (cause === undefined || !repairable.has(cause.kind)) return undefined;
  if (repairs?.version === loaded.version && isEnough(repairs)) return undefined;
  return repaired?.version === loaded.version && repaired.recurredAt === undefined ? undefined : loaded;
}

/** Whether more pages would tell no more of repairs. */
function isEnough({ pages = mostPairs, proposals }: NonNullable<TicketView['repairs']>): boolean {
  return pages >= mostPairs || proposals[0]?.isSafe === true;
}

/** What the symptoms of a ticket are about: fields, or records as a whole; all records where they name none. */
function lostOf({ symptoms }: TicketView, { plan }: Reading): RepairQuestion['lost'] {
  const named = symptoms.flatMap(({ record, field }) =>
    record === undefined ? [] : [{ record, ...defined({ field }) }],
  );
  return named.length > 0 ? named : plan.records.map(({ type }) => ({ record: type }));
}

/** Repairs of the rules of two kinds of pages, such as a list and the pages of its items: the best of both, then those that have another one of either. */
function together(some: readonly Repair[], others: readonly Repair[]): readonly Repair[] {
  const [[one, ...rest], [other, ...otherRest]] = [some, others];
  if (one === undefined || other === undefined) return one === undefined ? others : some;
  const pairs: readonly (readonly [Repair, Repair])[] = [
    [one, other],
    ...rest.map((each) => [each, other] as const),
    ...otherRest.map((each) => [one, each] as const),
  ];
  return pairs.slice(0, mostRepairs).map(([first, second]) => ({
    changes: [...first.changes, ...second.changes],
    kept: [...first.kept, ...second.kept].slice(0, 50),
    isSafe: first.isSafe && second.isSafe,
  }));
}

/** Pages that show a ticket, from before the trouble and since. */
async function pagesOf(store: Store, vault: Vault, ticket: TicketView): Promise<readonly PagePair[]> {
  const found: PagePair[] = [];
  for await (const pair of keptPagePairs(store, vault, ticket)) {
    const isOfOneKind = pair.good.itemType === pair.bad.itemType;
    if (!isOfOneKind || pair.good.body.length + pair.bad.body.length > mostBytes) continue;
    found.push(pair);
    if (found.length === mostPairs) break;
  }
  return found;
}
