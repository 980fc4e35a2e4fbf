import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadedSource } from '../definition/catalogue.ts';
import { definitionVersion, type Source } from '../definition/source.ts';
import { failureCause } from '../health/failure-cause.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import { symptomId } from '../view/symptom.ts';
import type { CauseKind } from '../view/ticket.ts';
import { mutations } from './all.ts';
import { mutateAt, tellingFields } from './mutate.ts';
import type { DrillField, Mutation, Subject } from './mutation.ts';
import { draftsOn, sitePages } from './pages.ts';
import { openRehearsal, pageOnly } from './rehearsal.ts';
import type { ShownPage } from './shown-page.ts';
import { subjectOf } from './subject.ts';

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
}

/** Healthy scrapes before a change, one a day: a baseline judges from the fifth on. */
const healthyScrapes = 8;

const dayMs = 86_400_000;

/** A day in the past, so that nothing looks like the future. */
const startAt = Date.UTC(2026, 0, 5);

/**
 * Changes a saved page in each way that it has something for, at each field, and yields what would be noticed: each changed page is scraped after
 * healthy ones by the daemon's own code, into stores of their own in `folder`, and no site is asked.
 *
 * @param random - returns a number in `[0, 1)`.
 */
export async function* drillPage(
  definition: Source,
  {
    page,
    plan,
    folder,
    random,
  }: { readonly page: ShownPage; readonly plan: ExtractPlan; readonly folder: string; readonly random: () => number },
): AsyncGenerator<DrillResult> {
  const source = pageOnly(definition);
  const loaded: LoadedSource = { source, version: definitionVersion(source) };
  const pages = await sitePages(page, plan);
  const warm = join(folder, 'healthy');
  const rehearsal = await openRehearsal(warm, loaded);
  const targets = await rehearsal.track(pages.map(({ url }) => url));
  for (let day = 0; day < healthyScrapes; day += 1)
    await rehearsal.scrape(targets, showing(pages, pages), startAt + day * dayMs);
  await rehearsal.close();
  const read = new Set((await draftsOn(page, plan)).flatMap(({ fields }) => Object.keys(fields)));
  for (const change of changesOf(pages, plan, { read, random })) yield await rehearse(change);
  await rm(warm, { recursive: true });

  async function rehearse({ mutation, field, changed }: Change): Promise<DrillResult> {
    const copy = join(folder, 'changed');
    await cp(warm, copy, { recursive: true });
    const { store, ...rehearsed } = await openRehearsal(copy, loaded);
    try {
      const before = store.events.last();
      await rehearsed.scrape(targets, showing(pages, changed), startAt + healthyScrapes * dayMs);
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
        isRight: cause !== undefined && mutation.causes.includes(cause),
        told,
      };
    } finally {
      await rehearsed.close();
      await rm(copy, { recursive: true });
    }
  }
}

/** One way in which all pages of a site change. */
interface Change {
  readonly mutation: Mutation;
  /** Missing where the same comes of it at all fields. */
  readonly field?: DrillField;
  readonly changed: readonly ShownPage[];
}

/** The changes of pages at the fields that are read there. */
function* changesOf(
  pages: readonly ShownPage[],
  plan: ExtractPlan,
  { read, random }: { readonly read: ReadonlySet<string>; readonly random: () => number },
): Generator<Change> {
  const subjects = pages.flatMap((page) => subjectOf(page, plan) ?? []);
  const [first] = subjects;
  if (first === undefined) return;
  for (const mutation of mutations) {
    const seen = new Map<string, Change>();
    for (const field of tellingFields(first).filter(({ field: name }) => read.has(name))) {
      const changed = changedPages(subjects, mutation, field, random);
      const [one] = changed;
      if (one === undefined) continue;
      const known = seen.get(one.html);
      seen.set(one.html, known === undefined ? { mutation, field, changed } : { mutation, changed });
    }
    yield* seen.values();
  }
}

/** The pages as a mutation leaves them; none where one of them has nothing of the kind. */
function changedPages(
  subjects: readonly Subject[],
  mutation: Mutation,
  field: DrillField,
  random: () => number,
): ShownPage[] {
  const changed = subjects.flatMap((subject) => mutateAt(subject, mutation, field, random) ?? []);
  return changed.length === subjects.length ? changed : [];
}

function showing(pages: readonly ShownPage[], shown: readonly ShownPage[]) {
  const byUrl = new Map(pages.map(({ url }, at) => [url, shown[at]]));
  return (url: string): ShownPage | undefined => byUrl.get(url) ?? shown.find((page) => page.url === url);
}
