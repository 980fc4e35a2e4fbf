import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRehearsal, type Rehearsal } from '../../../src/drill/rehearsal.ts';
import type { ShownPage } from '../../../src/drill/shown-page.ts';
import { failureCause } from '../../../src/health/failure-cause.ts';
import type { CauseKind } from '../../../src/view/ticket.ts';
import { Random } from '../random.ts';
import { type Change, changesOf } from './changes.ts';
import { falselyTold, truthOf } from './truth.ts';
import { instantOf, type SitePage, type World } from './world.ts';

/** What became of one change of a site. */
export interface Drifted {
  readonly world: string;
  readonly part: string;
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
    const targets = await rehearsal.track(world.targets);
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
      for await (const change of changesOf(world, pages, new Random(seed), count))
        drifted.push(await drift(world, { warm, copy: join(folder, 'changed') }, targets, pages, change));
    }
    return { drifted, healthyDays: world.days, falseTickets };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function drift(
  world: World,
  { warm, copy }: { readonly warm: string; readonly copy: string },
  targets: readonly number[],
  truth: readonly SitePage[],
  { mutation, part, field, causes, pages }: Change,
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
    const events = [...store.events.rows({ after: serial })];
    const falsely = falselyTold(events, await truthOf(truth));
    const [ticket] = tickets;
    const cause = ticket === undefined ? await causeOfFailures() : ticket.cause?.kind;
    return {
      world: world.name,
      part: part.name,
      days: world.days,
      mutation: mutation.name,
      field,
      isFound: ticket !== undefined || failures.length > 0,
      cause,
      isRight: cause !== undefined && causes.includes(cause),
      tickets: tickets.length,
      by: [...(ticket?.symptoms ?? []).map(({ measure }) => measure), ...failures.map(({ code }) => code)][0] ?? '',
      falseTold: falsely.length,
      held: events.filter(({ type }) => type === 'value.held').length,
      falsely: falsely.slice(0, 3),
    };

    /** A failure that says no cause by itself has that of the ticket which the third in a row opens. */
    async function causeOfFailures(): Promise<CauseKind | undefined> {
      const { kind = 'unknown' } = failureCause(failures, 'scrapes') ?? {};
      if (failures.length === 0 || kind !== 'unknown') return kind;
      for (const hour of [1, 2]) await scrapeDay(rehearsal, targets, pages, world.days + hour / 24, truth);
      return (await rehearsal.diagnose())[0]?.cause?.kind ?? kind;
    }
  } finally {
    await rehearsal.close();
    await rm(copy, { recursive: true });
  }
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
  return rehearsal.scrape(targets, show, { at: instantOf(day) });
}
