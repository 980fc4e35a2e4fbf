import { isDeepStrictEqual } from 'node:util';
import { type Catalogue, isPlugged, type LoadedSource } from '../definition/catalogue.ts';
import { defined } from '../defined.ts';
import type { Page } from '../fetch/page.ts';
import { openProvider } from '../provider/declared.ts';
import type { Reading } from '../provider/provider.ts';
import { setCause } from '../store/tickets.ts';
import type { Store } from '../store/store.ts';
import { comparedPage, fetchedPage } from '../vault/kept-page.ts';
import type { Vault } from '../vault/vault.ts';
import type { CauseQuestion } from '../view/cause-question.ts';
import type { Cause, TicketView } from '../view/ticket.ts';
import { cutLinks } from './cut-links.ts';
import { type PagePair, keptPagePairs } from './evidence.ts';
import { causeByFailures } from './run-failures.ts';
import { homeRedirect } from './walls.ts';

/** What is needed to find the cause of a ticket. */
export interface DiagnoseDeps {
  store(): Store;
  /** Returns the open vault; nothing where no pages are kept. */
  vault(): Vault | undefined;
  catalogue(): Catalogue;
  /**
   * Compares a bad page with the one that the reading's `compare` names, on a thread. Resolves with nothing where the thread takes too long or
   * crashes. Rejects with the signal's reason when that fires first.
   */
  compare(page: Page, reading: Reading, signal: AbortSignal): Promise<Cause | undefined>;
}

/** Pages that are compared with the last good ones of their addresses. */
const comparedPages = 5;

/** The time that comparing two pages may take on a thread, in ms. */
const limitMs = 30_000;

const tooSlow: Cause = { kind: 'unknown', says: ['the pages could not be compared within the limits of a thread'] };

/** Whether the cause of a ticket is not known. */
export function isCauseUnknown(ticket: Pick<TicketView, 'cause'> | undefined): boolean {
  return ticket?.cause === undefined || ticket.cause.kind === 'unknown';
}

/** What two pages of one address say of a ticket. */
interface Finding {
  readonly cause: Cause;
  readonly pair: PagePair;
}

/**
 * Finds the cause of a ticket and stores it: by the first bad pages that show it beside the last good ones, where both are kept, else by how the
 * requests failed, or by what a crawl was no longer led to. The cause is the one that most pages show, and the digests and addresses of two of these are
 * stored with it, and the addresses of all of them as samples. A ticket about which neither says anything more than it has stays as it is.
 */
export async function diagnoseTicket(deps: DiagnoseDeps, number: number, signal: AbortSignal): Promise<void> {
  const store = deps.store();
  const ticket = store.tickets.get(number);
  if (ticket === undefined || ticket.state === 'resolved') return;
  // Nothing that was read shows why.
  if (ticket.sources.length === 0 || ticket.symptoms.every(({ kind }) => kind === 'infeasible')) return;
  const findings = await causeByPages(deps, ticket, signal);
  const [found] = findings;
  const isAlwaysHome = found !== undefined && homeRedirect(found.pair.good.url, found.pair.url) !== undefined;
  const isOfPages = found !== undefined && found.cause.kind !== 'unknown';
  const byRun = isOfPages ? undefined : (causeByFailures(store, ticket, isAlwaysHome) ?? cutLinks(store, ticket));
  const cause = byRun ?? found?.cause;
  if (cause === undefined || (cause.kind === 'unknown' && ticket.cause !== undefined)) return;
  if (isDeepStrictEqual(cause, ticket.cause)) return;
  const samples = isOfPages ? findings.map(({ pair }) => pair.bad.url) : [];
  await setCause(store, number, cause, { samples, ...defined({ pages: found && evidenceOf(found.pair) }) });
}

function evidenceOf({ good, bad }: PagePair): NonNullable<TicketView['pages']> {
  const screenshots = defined({ good: good.screenshot, bad: bad.screenshot });
  const urls = { good: good.url, bad: bad.url };
  return { good: good.digest, bad: bad.digest, urls, ...(Object.keys(screenshots).length > 0 && { screenshots }) };
}

/** The pages of which most say the same of the cause of a ticket; `unknown` only where none says more. */
async function causeByPages(deps: DiagnoseDeps, ticket: TicketView, signal: AbortSignal): Promise<readonly Finding[]> {
  const [source = ''] = ticket.sources;
  const loaded = deps.catalogue().sources.get(source);
  const vault = deps.vault();
  if (ticket.host !== undefined || loaded === undefined || vault === undefined) return [];
  const findings: Finding[] = [];
  for await (const pair of keptPagePairs(deps.store(), vault, ticket)) {
    const cause = await deps.compare(fetchedPage(pair.bad), readingOf(loaded, ticket, pair), signal);
    findings.push({ cause: cause ?? tooSlow, pair });
    if (findings.length === comparedPages) break;
  }
  const told = findings.filter(({ cause }) => cause.kind !== 'unknown');
  const [most] = [...Map.groupBy(told, ({ cause }) => cause.kind).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  return most ?? findings;
}

/** How the two pages are read and compared. What a plug-in reads on a page is not known. */
function readingOf(loaded: LoadedSource, { symptoms }: TicketView, { url: asked, good, bad }: PagePair): Reading {
  const { page, list, items } = openProvider(loaded.source);
  const { itemType } = bad;
  const own = itemType === undefined ? (list?.reading ?? page) : items?.reading(itemType);
  const records =
    own === undefined || isPlugged(loaded)
      ? 'none'
      : // The page of an item has no key of its own.
        itemType === undefined && good.itemType === undefined
        ? 'keyed'
        : 'keyless';
  const compare: CauseQuestion = { symptoms, asked, good: comparedPage(good), records };
  // A line of its own, so that comparing makes no page of the source wait.
  return { source: `@diagnosis/${loaded.source.id}`, plan: (own ?? page).plan, limitMs, compare };
}
