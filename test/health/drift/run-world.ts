import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutations } from '../../../src/drill/all.ts';
import { mutateAt, tellingFields } from '../../../src/drill/mutate.ts';
import type { Mutation } from '../../../src/drill/mutation.ts';
import { draftsOn } from '../../../src/drill/pages.ts';
import { openRehearsal, type Rehearsal } from '../../../src/drill/rehearsal.ts';
import type { ShownPage } from '../../../src/drill/shown-page.ts';
import { subjectOf } from '../../../src/drill/subject.ts';
import type { ExtractPlan } from '../../../src/extract/plan.ts';
import type { RecordDraft } from '../../../src/extract/draft.ts';
import { failureCause } from '../../../src/health/failure-cause.ts';
import type { Event } from '../../../src/event/catalogue.ts';
import { openProvider } from '../../../src/provider/declared.ts';
import type { CauseKind } from '../../../src/view/ticket.ts';
import { Random } from '../random.ts';
import { instantOf, type World } from './worlds.ts';

/** What became of one change of a site. */
export interface Drifted {
  readonly world: string;
  readonly days: number;
  readonly mutation: string;
  readonly field: string;
  readonly isFound: boolean;
  readonly cause: CauseKind | undefined;
  readonly isRight: boolean;
  readonly tickets: number;
  /** Symptoms by which it was found, and how a scrape failed. */
  readonly by: string;
  /** Values that are not the site's and that were told as changes of records, and those that were held. */
  readonly falseTold: number;
  readonly held: number;
  /** The first of what was told falsely. */
  readonly falsely: readonly string[];
}

export interface WorldResult {
  readonly drifted: readonly Drifted[];
  /** Healthy days, and the tickets that were opened on them. */
  readonly healthyDays: number;
  readonly falseTickets: readonly string[];
}

/** Scrapes a world for its healthy days, then in each of `count` copies what a change has left of the next day. */
export async function runWorld(world: World, seed: number, count: number): Promise<WorldResult> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-drift-'));
  try {
    const warm = join(folder, 'healthy');
    const rehearsal = await openRehearsal(warm, world.loaded);
    const targets = await rehearsal.track(world.pagesOf(0).map(({ url }) => url));
    for (let day = 0; day < world.days; day += 1) await scrapeDay(rehearsal, targets, world.pagesOf(day), day);
    const falseTickets = [...rehearsal.store.tickets.rows()].map((ticket) =>
      ticket.symptoms
        .map(({ kind, field = '', measure, observed }) => `${kind} ${field} ${measure} ${observed}`)
        .join(', '),
    );
    await rehearsal.close();
    const drifted: Drifted[] = [];
    if (falseTickets.length === 0) {
      const pages = world.pagesOf(world.days);
      for await (const change of changesOf(pages, planOf(world), new Random(seed), count))
        drifted.push(await drift(world, { warm, copy: join(folder, 'changed') }, targets, pages, change));
    }
    return { drifted, healthyDays: world.days, falseTickets };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Change {
  readonly mutation: Mutation;
  readonly field: string;
  readonly pages: readonly ShownPage[];
}

/** Draws changes that alter what is read. */
async function* changesOf(
  pages: readonly ShownPage[],
  plan: ExtractPlan,
  random: Random,
  count: number,
): AsyncGenerator<Change> {
  const subjects = pages.flatMap((page) => subjectOf(page, plan) ?? []);
  const fields = subjects[0] === undefined ? [] : tellingFields(subjects[0]);
  const before = JSON.stringify(await allDrafts(pages, plan));
  for (let found = 0, tries = 0; found < count && tries < 20 * count; tries += 1) {
    const mutation = mutations[Math.floor(random.next() * mutations.length)]!;
    const field = fields[Math.floor(random.next() * fields.length)]!;
    const seed = Math.floor(random.next() * 1e9);
    const changed = subjects.flatMap((subject) => {
      const drawn = new Random(seed);
      return mutateAt(subject, mutation, field, () => drawn.next()) ?? [];
    });
    if (changed.length < subjects.length) continue;
    const isFailure = changed.some(({ status, url }, at) => status >= 400 || url !== pages[at]?.url);
    if (!isFailure && JSON.stringify(await allDrafts(changed, plan)) === before) continue;
    found += 1;
    yield { mutation, field: field.field, pages: changed };
  }
}

async function drift(
  world: World,
  { warm, copy }: { readonly warm: string; readonly copy: string },
  targets: readonly number[],
  truth: readonly ShownPage[],
  { mutation, field, pages }: Change,
): Promise<Drifted> {
  await cp(warm, copy, { recursive: true });
  const rehearsal = await openRehearsal(copy, world.loaded);
  const { store } = rehearsal;
  try {
    const serial = store.events.last();
    await scrapeDay(rehearsal, targets, pages, world.days, truth);
    const tickets = await rehearsal.diagnose();
    const failures = targets.flatMap((target) => {
      const [last] = [...store.scrapes.ofTarget(target, { limit: 1 })];
      return last?.failure === undefined ? [] : [{ cause: 'unexpected', ...last.failure }];
    });
    const [ticket] = tickets;
    const cause = ticket === undefined ? failureCause(failures, 'scrapes')?.kind : ticket.cause?.kind;
    const events = [...store.events.rows({ after: serial })];
    const known = new Map((await allDrafts(truth, planOf(world))).map((draft) => [draft.key, draft.fields]));
    const falsely = events.flatMap((event) => falselyTold(event, known));
    return {
      world: world.name,
      days: world.days,
      mutation: mutation.name,
      field,
      isFound: ticket !== undefined || failures.length > 0,
      cause,
      isRight: cause !== undefined && mutation.causes.includes(cause),
      tickets: tickets.length,
      by: [...(ticket?.symptoms ?? []).map(({ measure }) => measure), ...failures.map(({ code }) => code)][0] ?? '',
      falseTold: falsely.length,
      held: events.filter(({ type }) => type === 'value.held').length,
      falsely: falsely.slice(0, 3),
    };
  } finally {
    await rehearsal.close();
    await rm(copy, { recursive: true });
  }
}

/** What an event tells of a record that is not as the site has it: one sentence; none where it is. */
function falselyTold(event: Event, known: ReadonlyMap<string, RecordDraft['fields']>): readonly string[] {
  switch (event.type) {
    case 'record.added':
    case 'record.changed': {
      const { key, fields } = event.data;
      const truth = known.get(key);
      if (truth === undefined) return [`${event.type} ${key}`];
      const wrong = Object.entries(fields).filter(
        ([name, { new: value }]) => JSON.stringify(value) !== JSON.stringify(truth[name] ?? null),
      );
      return wrong.length === 0 ? [] : [`${event.type} ${key} ${JSON.stringify(Object.fromEntries(wrong))}`];
    }
    case 'record.missing':
    case 'record.gone':
      return known.has(event.data.key) ? [`${event.type} ${event.data.key}`] : [];
    default:
      return [];
  }
}

function planOf({ loaded }: World): ExtractPlan {
  return openProvider(loaded.source).page.plan;
}

async function allDrafts(pages: readonly ShownPage[], plan: ExtractPlan): Promise<readonly RecordDraft[]> {
  const all: RecordDraft[] = [];
  for (const page of pages) all.push(...(await draftsOn(page, plan)));
  return all;
}

function scrapeDay(
  rehearsal: Rehearsal,
  targets: readonly number[],
  shown: readonly ShownPage[],
  day: number,
  asked = shown,
): Promise<void> {
  const byUrl = new Map(asked.map(({ url }, at) => [url, shown[at]]));
  const show = (url: string): ShownPage | undefined => byUrl.get(url) ?? shown.find((page) => page.url === url);
  return rehearsal.scrape(targets, show, instantOf(day));
}
