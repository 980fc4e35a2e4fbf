import { type Catalogue, isPlugged } from '../definition/catalogue.ts';
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
import type { TicketView } from '../view/ticket.ts';
import { diagnose } from './diagnose.ts';
import type { PageRead } from './page.ts';

/** What is needed to find the cause of a ticket. */
export interface DiagnoseDeps {
  store(): Store;
  /** Returns the open vault; nothing where no pages are kept. */
  vault(): Vault | undefined;
  catalogue(): Catalogue;
  /** Reads a page on a thread, and explains it. Rejects with the signal's reason when that fires first. */
  explain(page: Page, reading: Reading, signal: AbortSignal): Promise<ExtractOutcome>;
}

/** The targets of a ticket that are looked at for a page which shows it. */
const lookedTargets = 20;

/**
 * Finds the cause of a ticket by the last good and the first bad page of one of its targets, where both are kept, and stores it with their
 * digests. Does nothing for a ticket that has a cause, that is about no page, or whose source is read by a plug-in.
 */
export async function diagnoseTicket(deps: DiagnoseDeps, number: number, signal: AbortSignal): Promise<void> {
  const store = deps.store();
  const vault = deps.vault();
  const ticket = store.tickets.get(number);
  const [id = ''] = ticket?.sources ?? [];
  const loaded = deps.catalogue().sources.get(id);
  if (ticket === undefined || ticket.cause !== undefined || vault === undefined) return;
  if (ticket.host !== undefined || loaded === undefined || isPlugged(loaded)) return;
  const { page, list } = openProvider(loaded.source);
  const reading: Reading = { ...(list === undefined ? page : list.reading), explain: { trees: false } };
  for (const target of targetsOf(store, ticket, id)) {
    const url = store.targets.get(target)?.url;
    const { good, bad } = (url === undefined ? undefined : await vault.evidenceOf(target, url)) ?? {};
    if (url === undefined || good === undefined || bad === undefined) continue;
    const [before, after] = [await vault.read(good), await vault.read(bad)];
    if (!before.ok || !after.ok) continue;
    const [goodRead, badRead] = [
      await readKept(deps, before.page, reading, signal),
      await readKept(deps, after.page, reading, signal),
    ];
    const cause = diagnose({ symptoms: ticket.symptoms, asked: url, good: goodRead, bad: badRead });
    return setCause(store, number, cause, { good, bad });
  }
}

function targetsOf(store: Store, { ticket }: TicketView, source: string): number[] {
  const found: number[] = [];
  for (const member of store.tickets.membersOf(source, ticket)) {
    if (member > 0) found.push(member);
    if (found.length === lookedTargets) break;
  }
  return found;
}

async function readKept(deps: DiagnoseDeps, kept: KeptPage, reading: Reading, signal: AbortSignal): Promise<PageRead> {
  const { url, status, contentType } = kept;
  const source = pageSource({ page: { contentType }, body: kept.body });
  const outcome = await deps.explain(fetchedPage(kept), reading, signal);
  const drafts = outcome.ok ? outcome.extraction.drafts : [];
  return { url, status, contentType, source, items: outcome.trial?.items ?? [], drafts };
}
