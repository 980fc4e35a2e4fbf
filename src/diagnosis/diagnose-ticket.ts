import { type Catalogue, isPlugged, type LoadedSource } from '../definition/catalogue.ts';
import { defined } from '../defined.ts';
import type { ExtractOutcome } from '../extract/draft.ts';
import type { Page } from '../fetch/page.ts';
import { openProvider } from '../provider/declared.ts';
import type { Reading } from '../provider/provider.ts';
import { setCause } from '../store/tickets.ts';
import type { Store } from '../store/store.ts';
import { pageSource } from '../vault/page-text.ts';
import type { KeptPage } from '../vault/entry.ts';
import { fetchedPage } from '../vault/kept-page.ts';
import type { Vault } from '../vault/vault.ts';
import type { Cause, TicketView } from '../view/ticket.ts';
import { diagnose } from './diagnose.ts';
import { type PagePair, pairsOf } from './evidence.ts';
import type { PageRead } from './page.ts';
import { causeByFailures } from './run-failures.ts';

/** What is needed to find the cause of a ticket. */
export interface DiagnoseDeps {
  store(): Store;
  /** Returns the open vault; nothing where no pages are kept. */
  vault(): Vault | undefined;
  catalogue(): Catalogue;
  /** Reads a page on a thread, and explains it. Rejects with the signal's reason when that fires first. */
  explain(page: Page, reading: Reading, signal: AbortSignal): Promise<ExtractOutcome>;
}

/** Pages that are compared with the last good ones of their addresses. */
const comparedPages = 5;

const unknown: Cause = { kind: 'unknown', says: [] };

/** What two pages of one address say of a ticket. */
interface Finding {
  readonly cause: Cause;
  readonly pair: PagePair;
}

/**
 * Finds the cause of a ticket and stores it: by the first bad pages that show it beside the last good ones, where both are kept, else by how the
 * requests failed. The cause is the one that most pages show, and the digests of two of these are stored with it. A ticket that has a
 * cause other than `unknown`, or about which neither says anything, stays as it is.
 */
export async function diagnoseTicket(deps: DiagnoseDeps, number: number, signal: AbortSignal): Promise<void> {
  const store = deps.store();
  const ticket = store.tickets.get(number);
  if (ticket === undefined || (ticket.cause ?? unknown).kind !== 'unknown') return;
  if (ticket.symptoms.every(({ kind }) => kind === 'infeasible')) return;
  const found = await causeByPages(deps, ticket, signal);
  const byFailures = found === undefined || found.cause.kind === 'unknown' ? causeByFailures(store, ticket) : undefined;
  const cause = byFailures ?? found?.cause;
  if (cause === undefined || cause.kind === ticket.cause?.kind) return;
  const pages = found && evidenceOf(found.pair);
  await setCause(store, number, cause, pages);
}

function evidenceOf({ good, bad }: PagePair): NonNullable<TicketView['pages']> {
  const screenshots = defined({ good: good.screenshot, bad: bad.screenshot });
  return { good: good.digest, bad: bad.digest, ...(Object.keys(screenshots).length > 0 && { screenshots }) };
}

/** What most pages that show a ticket say is its cause; `unknown` only where none says more. */
async function causeByPages(deps: DiagnoseDeps, ticket: TicketView, signal: AbortSignal): Promise<Finding | undefined> {
  const [source = ''] = ticket.sources;
  const loaded = deps.catalogue().sources.get(source);
  const vault = deps.vault();
  if (ticket.host !== undefined || loaded === undefined || vault === undefined) return undefined;
  const findings: Finding[] = [];
  for await (const pair of pairsOf(deps.store(), vault, ticket)) {
    const good = await readKept(deps, pair.good, loaded, signal);
    const bad = await readKept(deps, pair.bad, loaded, signal);
    findings.push({ cause: diagnose({ symptoms: ticket.symptoms, asked: pair.url, good, bad }), pair });
    if (findings.length === comparedPages) break;
  }
  const told = findings.filter(({ cause }) => cause.kind !== 'unknown');
  const [most] = [...Map.groupBy(told, ({ cause }) => cause.kind).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  return most?.[0] ?? findings[0];
}

/** Reads a kept page as its source's definition does. What a plug-in reads there is not known. */
async function readKept(
  deps: DiagnoseDeps,
  kept: KeptPage,
  loaded: LoadedSource,
  signal: AbortSignal,
): Promise<PageRead> {
  const { url, status, contentType } = kept;
  const page = { url, status, contentType, source: pageSource({ page: { contentType }, body: kept.body }) };
  const reading = isPlugged(loaded) ? undefined : readingOf(loaded, kept);
  if (reading === undefined) return { ...page, items: [], drafts: [] };
  const outcome = await deps.explain(fetchedPage(kept), { ...reading, explain: { trees: false } }, signal);
  const found = outcome.ok ? outcome.extraction.drafts : [];
  // The page of an item has no key of its own.
  const drafts = kept.itemType === undefined ? found : found.map((draft) => ({ ...draft, key: '' }));
  return { ...page, items: outcome.trial?.items ?? [], drafts };
}

/** How a kept page is read: as one of an item, of a list, or of a record. */
function readingOf({ source }: LoadedSource, { itemType }: KeptPage): Reading | undefined {
  const { page, list, items } = openProvider(source);
  return itemType === undefined ? (list?.reading ?? page) : items?.reading(itemType);
}
