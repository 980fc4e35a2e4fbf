import type { Catalogue, LoadedSource } from '../definition/catalogue.ts';
import {
  type DefinitionRepair,
  type RepairedDefinition,
  rulesText,
  type WrittenDefinition,
} from '../definition/repair-definition.ts';
import { beginJob } from '../reextraction/job.ts';
import { requestScrape } from '../store/scrapes.ts';
import type { Store } from '../store/store.ts';
import { setRepaired } from '../store/tickets.ts';
import type { Vault } from '../vault/vault.ts';
import { changedLines } from '../view/changed-text.ts';
import type { Repair } from '../view/repair.ts';
import type { TicketView } from '../view/ticket.ts';
import { targetsOf } from './evidence.ts';

/** What is needed to make a repair that was proposed. */
export interface AcceptDeps {
  store(): Store;
  /** Returns the open vault; nothing where no pages are kept. */
  vault(): Vault | undefined;
  catalogue(): Catalogue;
  /** Changes rules in the file of a definition, and loads it. */
  repair(repair: DefinitionRepair): Promise<RepairedDefinition>;
  /** Tells the actor of re-extractions that a job has begun. */
  lookAtJobs(): void;
  /** Tells the actors of projects that scrapes of these targets were asked for. */
  lookAtTargets(targets: readonly number[]): void;
}

/** Which repair of which ticket is made. */
export interface AcceptWish {
  readonly ticket: number;
  /** Counted from 1. */
  readonly proposal: number;
  /** Tells what would be written, and writes nothing. */
  readonly dryRun: boolean;
  /** Missing for a repair that is made without a person. */
  readonly by?: string | undefined;
}

/** What has become of a repair, or why it was not made. */
export type Accepted =
  | {
      readonly ok: true;
      readonly ticket: TicketView;
      readonly file: string;
      readonly diff: string;
      /** The job that reads the kept pages again; missing where none is kept, another is under way, or nothing was written. */
      readonly job?: number;
      /** How many targets are scraped again. */
      readonly targets: number;
    }
  | { readonly ok: false; readonly code: 'not_found' | 'conflict'; readonly message: string };

/**
 * Makes a repair that was proposed for a ticket: writes the definition and loads it, reads the kept pages of the ticket's targets again, so that what
 * they have hidden is known without asking the site, and asks for a scrape of each target in its turn. The ticket ends as others do.
 */
export async function acceptRepair(deps: AcceptDeps, wish: AcceptWish): Promise<Accepted> {
  const store = deps.store();
  const chosen = chosenRepair(store, deps.catalogue(), wish);
  if (!chosen.ok) return chosen;
  const { ticket, loaded, repair } = chosen;
  const { id } = loaded.source;
  const { dryRun, by } = wish;
  const result = await deps.repair({ source: id, changes: repair.changes, version: loaded.version, dryRun });
  if (!result.ok) {
    const shown = await deps.repair({ source: id, changes: repair.changes, version: loaded.version, dryRun: true });
    const how = shown.ok ? `by hand, write ${writtenLines(shown.texts)}` : byHand(loaded, repair);
    return { ok: false, code: 'conflict', message: `${result.message}; ${how}` };
  }
  const { file, texts } = result;
  const diff = changedLines(...texts);
  if (dryRun) return { ok: true, ticket, file, diff, targets: 0 };
  const now = deps.catalogue().sources.get(id) ?? loaded;
  const targets = targetsOf(store, ticket);
  const what = `${by === undefined ? 'repaired without a person' : 'repaired'}: ${repairText(repair)}`;
  const made = { what, version: now.version, by: by === undefined ? ('auto' as const) : ('person' as const) };
  const after = (await setRepaired(store, ticket.ticket, made, by)) ?? ticket;
  const job = await readAgain(deps, now, ticket);
  const asked: number[] = [];
  for (const target of targets) if ((await requestScrape(store, target)).ok) asked.push(target);
  deps.lookAtTargets(asked);
  return { ok: true, ticket: after, file, diff, targets: asked.length, ...(job !== undefined && { job }) };
}

type Chosen =
  | { readonly ok: true; readonly ticket: TicketView; readonly loaded: LoadedSource; readonly repair: Repair }
  | Extract<Accepted, { readonly ok: false }>;

function chosenRepair(store: Store, catalogue: Catalogue, { ticket: number, proposal }: AcceptWish): Chosen {
  const ticket = store.tickets.get(number);
  if (ticket === undefined) return { ok: false, code: 'not_found', message: `no ticket ${number}` };
  if (ticket.state === 'resolved')
    return {
      ok: false,
      code: 'conflict',
      message: `ticket ${number} is resolved: expected one that is open or acknowledged`,
    };
  const { repairs, sources } = ticket;
  const repair = repairs?.proposals[proposal - 1];
  if (repairs === undefined || repair === undefined) {
    const count = repairs?.proposals.length ?? 0;
    const has =
      count === 0 ? 'no repairs' : count === 1 ? '1 repair: expected 1' : `${count} repairs: expected 1 to ${count}`;
    const message = `ticket ${number} has ${has}, got ${proposal}`;
    return { ok: false, code: 'not_found', message };
  }
  const [source = ''] = sources;
  const loaded = catalogue.sources.get(source);
  if (loaded === undefined) return { ok: false, code: 'conflict', message: `no definition of "${source}" is loaded` };
  if (loaded.version === repairs.version) return { ok: true, ticket, loaded, repair };
  const message = `the definition of "${source}" has changed since the repair was proposed: it is ${loaded.version}, and was ${repairs.version}; ${byHand(loaded, repair)}`;
  return { ok: false, code: 'conflict', message };
}

/** The lines that a repair would write, each with its number. */
function writtenLines([before, after]: WrittenDefinition['texts']): string {
  const old = new Set(before.split('\n'));
  const lines = after
    .split('\n')
    .flatMap((text, index) => (old.has(text) ? [] : [`line ${index + 1}: ${text.trim()}`]));
  return lines.join('; ');
}

function byHand({ source }: LoadedSource, { changes }: Repair): string {
  return `by hand, write ${rulesText(source, changes)}`;
}

/** Begins to read the kept pages of the ticket's targets again, from the first bad one on. */
async function readAgain(deps: AcceptDeps, loaded: LoadedSource, ticket: TicketView): Promise<number | undefined> {
  const vault = deps.vault();
  if (vault === undefined) return undefined;
  const bad = ticket.pages?.bad === undefined ? undefined : await vault.read(ticket.pages.bad);
  const { openedAt, reopenedAt = openedAt } = ticket;
  const since = bad?.ok === true ? Math.min(bad.page.observedAt, reopenedAt) : reopenedAt;
  const { ok, job } = await beginJob(deps.store(), loaded, { since, ticket: ticket.ticket });
  if (!ok) return undefined;
  deps.lookAtJobs();
  return job.job;
}

/** The rules that a repair changes, in one line. */
function repairText({ changes }: Repair): string {
  return changes
    .map(({ record, field, to }) => `${record}.${field ?? 'each'} is ${JSON.stringify(to)}`)
    .join(', ')
    .slice(0, 500);
}

/**
 * Makes the best repair of a ticket without a person where its source wants that and the evidence is enough: once for a ticket, and once until a
 * person changes the definition. The version that is made is noted before the file is written, so that a daemon which is killed between the two
 * repairs no definition twice.
 */
export async function repairAlone(
  deps: AcceptDeps,
  number: number,
  { loaded, best }: { readonly loaded: LoadedSource; readonly best: Repair },
): Promise<Accepted | undefined> {
  const store = deps.store();
  const { source, version } = loaded;
  if (source.repair !== 'auto' || !best.isSafe) return undefined;
  if (store.tickets.get(number)?.repaired !== undefined || store.autoRepairs.get(source.id) === version)
    return undefined;
  const planned = await deps.repair({ source: source.id, changes: best.changes, version, dryRun: true });
  if (!planned.ok) return { ok: false, code: 'conflict', message: planned.message };
  await store.write(() => store.autoRepairs.put(source.id, planned.version), { durable: true });
  return acceptRepair(deps, { ticket: number, proposal: 1, dryRun: false });
}
