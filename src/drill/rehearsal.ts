import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../defined.ts';
import { type Catalogue, emptyCatalogue, type LoadedSource } from '../definition/catalogue.ts';
import type { Source } from '../definition/source.ts';
import { comparePages } from '../diagnosis/compare-pages.ts';
import { diagnoseTicket } from '../diagnosis/diagnose-ticket.ts';
import { runLocally } from '../engine/local.ts';
import { extract, type ExtractInput } from '../extract/extract.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import { BodyBudget } from '../fetch/body-budget.ts';
import type { Page } from '../fetch/page.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { SourcePlugins } from '../plugin/source-plugins.ts';
import type { Reading } from '../provider/provider.ts';
import { createMakeRequest } from '../request/make-request.ts';
import { createScrapeTarget } from '../scrape/scrape-target.ts';
import { hasClosed } from '../store/pages.ts';
import { addProject } from '../store/projects.ts';
import { requestScrape } from '../store/scrapes.ts';
import { openStore, type Store } from '../store/store.ts';
import type { TicketView } from '../view/ticket.ts';
import { Vault } from '../vault/vault.ts';
import { answerOf, type Show } from './shown-page.ts';
import { firstTurn, noSchedule, stoppedClock, unscheduled } from './standstill.ts';

/** Scrapes of pages that only exist in memory, by the daemon's own code, into a store and a vault of their own. */
export interface Rehearsal {
  readonly store: Store;
  /** Adds a project with these targets. Resolves with their numbers. */
  track(urls: readonly string[]): Promise<readonly number[]>;
  /** Scrapes targets one after the other, each to its end; with `isFull`, past what is known and with all pages of items. */
  scrape(
    targets: readonly number[],
    show: Show,
    when: { readonly at: number; readonly isFull?: boolean },
  ): Promise<void>;
  /** Finds the causes of tickets that are not resolved. Resolves with these tickets. */
  diagnose(): Promise<readonly TicketView[]>;
  /** Closes the store; the folder stays, and may be copied. */
  close(): Promise<void>;
}

/** Returns a source as it is rehearsed: each page is asked for once, without a log-in, a form or a sitemap. */
export function rehearsed({ auth: _auth, crawl, ...source }: Source): Source {
  const { form: _form, ...request } = source.request;
  const { sitemaps: _sitemaps, ...walked } = crawl ?? { sitemaps: undefined };
  const retry = { ...source.retry, times: 0 };
  return { ...source, request, retry, ...('detail' in walked && { crawl: walked }) };
}

/** Opens a rehearsal in a folder, which is made when it is missing; one that was closed goes on as it was. */
export async function openRehearsal(folder: string, loaded: LoadedSource): Promise<Rehearsal> {
  await mkdir(folder, { recursive: true });
  let now = 0;
  const store = await openStore({ path: join(folder, 'store'), now: () => now, scheduling: unscheduled });
  const vault = await Vault.open({ folder: join(folder, 'vault'), store, full: fail, warn: fail });
  const catalogue: Catalogue = { ...emptyCatalogue, sources: new Map([[loaded.source.id, loaded]]) };
  const clock = stoppedClock(() => now);
  let shown: Show = () => undefined;
  const reading = {
    client: {
      fetchPage: ({ url }: FetchRequest) => Promise.resolve(answerOf(url, shown(url), now)),
      close: () => Promise.resolve(),
    },
    budget: new BodyBudget(),
    now: () => now,
    renderPage: ({ url }: FetchRequest) => Promise.resolve(answerOf(url, shown(url), now)),
    extract: async (page: Page, { plan }: Reading) => ({ ...(await extract(inputOf(page, plan))), body: page.body }),
  };
  const scrapeTarget = createScrapeTarget({
    clock,
    random: () => 0.5,
    store: () => store,
    vault: () => vault,
    unlessFull: (write) => write(),
    catalogue: () => catalogue,
    settings: () => ({ timeLimitMs: 600_000 }),
    dues: { scheduleOf: () => noSchedule, inputsOf: () => undefined, afterwards: () => Infinity },
    circuits: { ended: () => undefined, of: () => Promise.resolve(undefined) },
    makeRequest: createMakeRequest(
      {
        clock,
        circuits: { of: () => Promise.resolve(undefined) },
        sources: { session: () => Promise.resolve(undefined), authenticate: () => Promise.resolve(undefined) },
        rows: { hasClosed: (target, url) => hasClosed(store, target, url) },
      },
      {
        robots: {
          prepare: () => undefined,
          mayAsk: () => Promise.resolve('allowed'),
          grantCheck: () => undefined,
          crawlDelayMs: () => undefined,
        },
        sessions: { deskOf: () => undefined },
        exchange: ({ step, within = (run, signal) => run(signal) }, _options, signal) =>
          within((limited) => runLocally(step, reading, limited, () => undefined), signal),
      },
    ),
    plugins: noPlugins,
    log: () => undefined,
    crashed: (_target, error) => Promise.reject(error instanceof Error ? error : new Error(String(error))),
    freshnessChanged: () => undefined,
    recordsSeen: () => undefined,
  });
  return {
    store,
    async track(urls) {
      const targets = urls.map((url) => ({ source: loaded.source.id, url }));
      const added = await addProject(store, { id: 'drill', name: 'drill', labels: [], multiplier: 1, targets });
      if (!added.ok) throw new Error('expected a rehearsal to be tracked once');
      return added.project.targets;
    },
    async scrape(targets, show, { at, isFull = false }) {
      now = at;
      shown = show;
      const { signal } = new AbortController();
      for (const number of targets) {
        if (isFull) await requestScrape(store, number, { full: true });
        const target = store.targets.get(number);
        if (target === undefined) throw new Error(`target ${number}: expected it to be tracked`);
        await scrapeTarget(target, firstTurn(now), signal, { begun: () => undefined, waits: () => undefined });
      }
    },
    async diagnose() {
      const compare = async (page: Page, { plan, compare: question }: Reading) =>
        question && (await comparePages(inputOf(page, plan), question)).cause;
      const deps = { store: () => store, vault: () => vault, catalogue: () => catalogue, compare };
      const open = [...store.tickets.unresolved()];
      for (const { ticket } of open) await diagnoseTicket(deps, ticket, new AbortController().signal);
      return open.flatMap(({ ticket }) => store.tickets.get(ticket) ?? []);
    },
    async close() {
      await vault.close();
      await store.close();
    },
  };
}

/** A rehearsal reads no page by a plug-in. */
const noPlugins: Pick<SourcePlugins, 'open' | 'collect'> = {
  open: () => fail('its source has a plug-in'),
  collect: () => fail('its source is collected'),
};

function fail(what: Error | string): never {
  throw new Error(`a rehearsal cannot go on: ${typeof what === 'string' ? what : what.message}`);
}

function inputOf({ body, url, status, observedAt, headers }: Page, plan: ExtractPlan): ExtractInput {
  return { body, url, status, observedAt, plan, ...defined({ contentType: headers['content-type'] }) };
}
