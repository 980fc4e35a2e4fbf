import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadedSource } from '../definition/catalogue.ts';
import { definitionVersion } from '../definition/source.ts';
import { failureCause } from '../health/failure-cause.ts';
import { symptomId } from '../view/symptom.ts';
import type { CauseKind } from '../view/ticket.ts';
import { mutations } from './all.ts';
import type { Store } from '../store/store.ts';
import { causesOf, mayChange, mutateAt, tellingFields } from './mutate.ts';
import type { DrillField, Mutation, Subject } from './mutation.ts';
import { openRehearsal } from './rehearsal.ts';
import type { Show, ShownPage } from './shown-page.ts';
import type { DrillSite, SavedPages } from './saved-pages.ts';
import { siteOf } from './site.ts';
import { linkField } from './subject.ts';

/** What would become of one change of a site. */
export interface DrillResult {
  /** The way in which the page was changed, and the field at which; no field where the change is of the page as a whole. */
  readonly mutation: string;
  readonly field?: string;
  /** `ticket`: one would be opened at once. `failure`: the scrape would fail, which opens one where it goes on. `none`: nothing would tell of it. */
  readonly noticed: 'ticket' | 'failure' | 'none';
  /** The identities of the symptoms, as `field product price`. */
  readonly symptoms: readonly string[];
  readonly cause?: CauseKind;
  /** Whether the cause is one that names the change rightly. */
  readonly isRight: boolean;
  /** Changes of records that would be told as ordinary ones. */
  readonly told: number;
  /** What was rehearsed: pages by themselves, a crawl, a list, or a list with pages of its items; all pages, and those that changed. */
  readonly rehearsed: { readonly of: DrillSite['kind']; readonly pages: number; readonly changed: number };
}

/** Healthy scrapes before a change, one a day: a baseline judges from the fifth on. */
const healthyScrapes = 8;

const dayMs = 86_400_000;

/** A day in the past, so that nothing looks like the future. */
const startAt = Date.UTC(2026, 0, 5);

/**
 * Changes a saved page, and those of its site that are like it, in each way that it has something for, at each field, and yields what would be noticed: the
 * changed site is scraped after healthy ones by the daemon's own code, into stores of their own in `folder`, and no site is asked.
 *
 * @param random - returns a number in `[0, 1)`.
 */
export async function* drillPage(
  saved: SavedPages,
  { folder, random }: { readonly folder: string; readonly random: () => number },
): AsyncGenerator<DrillResult> {
  const site = await siteOf(saved);
  if (site === undefined) return;
  const { source, pages, subjects, kind } = site;
  const isFull = site.isFull === true;
  const loaded: LoadedSource = { source, version: definitionVersion(source) };
  const warm = join(folder, 'healthy');
  const rehearsal = await openRehearsal(warm, loaded);
  const targets = await rehearsal.track(site.targets);
  for (let day = 0; day < healthyScrapes; day += 1)
    await rehearsal.scrape(targets, showing(pages, new Map()), { at: startAt + day * dayMs, isFull });
  const read = fieldsRead(rehearsal.store, targets);
  await rehearsal.close();
  for (const change of changesOf(subjects, { read, random })) yield await rehearse(change);
  await rm(warm, { recursive: true });

  async function rehearse({ mutation, field, changed }: Change): Promise<DrillResult> {
    const copy = join(folder, 'changed');
    await cp(warm, copy, { recursive: true });
    const { store, ...rehearsed } = await openRehearsal(copy, loaded);
    try {
      const before = store.events.last();
      await rehearsed.scrape(targets, showing(pages, changed), { at: startAt + healthyScrapes * dayMs, isFull });
      const [ticket] = await rehearsed.diagnose();
      const failures = targets.flatMap((target) => {
        const [last] = [...store.scrapes.ofTarget(target, { limit: 1 })];
        return last?.failure === undefined ? [] : [{ cause: 'unexpected', ...last.failure }];
      });
      const told = [...store.events.rows({ after: before })].filter(({ type }) => type === 'record.changed').length;
      const cause = ticket?.cause?.kind ?? (ticket === undefined ? failureCause(failures, 'scrapes')?.kind : undefined);
      return {
        mutation: mutation.name,
        ...(field !== undefined && { field: field.field }),
        noticed: ticket !== undefined ? 'ticket' : failures.length > 0 ? 'failure' : 'none',
        symptoms: ticket?.symptoms.map(symptomId) ?? [],
        ...(cause !== undefined && { cause }),
        isRight: cause !== undefined && causesOf(mutation, field?.field).includes(cause),
        told,
        rehearsed: { of: kind, pages: pages.length, changed: changed.size },
      };
    } finally {
      await rehearsed.close();
      await rm(copy, { recursive: true });
    }
  }
}

/** The fields that records of targets have, and links. */
function fieldsRead({ records }: Store, targets: readonly number[]): ReadonlySet<string> {
  const all = targets.flatMap((target) => [...records.ofTarget(target)]);
  return new Set([linkField, ...all.flatMap(({ fields }) => Object.keys(fields))]);
}

/** One way in which all pages of a kind change. */
interface Change {
  readonly mutation: Mutation;
  /** Missing where the same comes of it at all fields. */
  readonly field?: DrillField;
  /** By the address that is asked for. */
  readonly changed: ReadonlyMap<string, ShownPage>;
}

/** The changes of pages at the fields that are read there. */
function* changesOf(
  subjects: readonly Subject[],
  { read, random }: { readonly read: ReadonlySet<string>; readonly random: () => number },
): Generator<Change> {
  const [first] = subjects;
  if (first === undefined) return;
  for (const mutation of mutations) {
    const seen = new Map<string, Change>();
    for (const field of tellingFields(first).filter(({ field: name }) => read.has(name))) {
      const changed = mayChange(mutation, field) ? changedPages(subjects, mutation, field, random) : undefined;
      const one = changed?.get(first.page.url);
      if (changed === undefined || one === undefined) continue;
      const known = seen.get(one.html);
      seen.set(one.html, known === undefined ? { mutation, field, changed } : { mutation, changed });
    }
    yield* seen.values();
  }
}

/** The pages as a mutation leaves them; nothing where one of them has nothing of the kind. */
function changedPages(
  subjects: readonly Subject[],
  mutation: Mutation,
  field: DrillField,
  random: () => number,
): ReadonlyMap<string, ShownPage> | undefined {
  const changed = new Map<string, ShownPage>();
  for (const subject of subjects) {
    const page = mutateAt(subject, mutation, field, random);
    if (page === undefined) return undefined;
    changed.set(subject.page.url, page);
  }
  return changed;
}

/** Shows the pages of a site, some of them changed, and what the changed ones redirect to. */
function showing(pages: readonly ShownPage[], changed: ReadonlyMap<string, ShownPage>): Show {
  const byUrl = new Map([...pages.map((page) => [page.url, page] as const), ...changed]);
  return (url) => byUrl.get(url) ?? [...changed.values()].find((page) => page.url === url);
}
