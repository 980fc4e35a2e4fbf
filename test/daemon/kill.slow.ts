import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Client, ConnectionError } from '../../src/control/client.ts';
import type { Event } from '../../src/event/catalogue.ts';
import type { HistoryView, RecordView } from '../../src/view/record.ts';
import type { ScrapeOfProjects } from '../../src/control/methods/scrape.ts';
import type { TreeNode } from '../../src/control/methods/daemon.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { daemonFolder, startOwnDaemon } from './own-daemon.ts';
import { untilReady } from './tracking.ts';

const rounds = 10;
const commits = 200;
const ids = Array.from({ length: 8 }, (_, index) => `project-${index}`);

/** What clients were told, which must be there after any kill. */
interface Told {
  readonly requested: Set<number>;
  readonly events: Map<number, Event>;
}

/** A site whose pages have another price at each visit. */
async function restlessSite(t: TestContext): Promise<Site> {
  const site = await openSite(t);
  let visits = 0;
  for (const id of ids) {
    site.answer(`/${id}`, (_request, response) => {
      visits += 1;
      response.setHeader('content-type', 'text/html').end(productPage(id, `${visits}.00`));
    });
  }
  return site;
}

/** Asks for one scrape after the other of a project, until the daemon hangs up or enough was committed. */
async function keepAsking(client: Client, id: string, told: Told, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { scrapes } = await client.call('project.rescrape', { id });
    for (const { scrape } of scrapes) told.requested.add(scrape);
  }
}

/** Lets a daemon work and kills it once so many events were told, or so many milliseconds after that. */
async function workAndKill(folder: string, told: Told, afterEvents: number): Promise<void> {
  const { client, kill } = await startOwnDaemon(folder);
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  let seen = 0;
  await client.subscribe({}, (event) => {
    told.events.set(event.id, event);
    seen += 1;
    if (seen >= afterEvents) reach();
  });
  // Whatever is under way at the end learns of it by the end of its connection.
  const lanes = Promise.allSettled(ids.map((id) => keepAsking(client, id, told, () => seen >= commits)));
  await reached;
  await kill();
  for (const lane of await lanes)
    if (lane.status === 'rejected') assert.ok(lane.reason instanceof ConnectionError, lane.reason);
}

/** Every scrape there is, by number. */
async function scrapesOf(client: Client): Promise<Map<number, ScrapeOfProjects>> {
  const scrapes = new Map<number, ScrapeOfProjects>();
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined;) {
    const slice: { readonly scrapes: readonly ScrapeOfProjects[]; readonly next?: number | undefined } =
      await client.call('scrape.list', { before, limit: 1_000 });
    for (const scrape of slice.scrapes) {
      assert.ok(!scrapes.has(scrape.scrape), `scrape ${scrape.scrape} is listed once`);
      scrapes.set(scrape.scrape, scrape);
    }
    before = slice.next;
  }
  return scrapes;
}

/** All events from the first on, as a client hears them that missed all. */
async function eventsOf(client: Client): Promise<Event[]> {
  const events: Event[] = [];
  const { lastEvent } = await client.call('daemon.status', {});
  const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
  await client.subscribe({ after: 0 }, (event) => {
    events.push(event);
    if (event.id >= lastEvent) hear();
  });
  await heard;
  // Those that come from now on are told later.
  return [...events];
}

/** What is known at one instant. */
interface Known {
  readonly events: readonly Event[];
  readonly scrapes: ReadonlyMap<number, ScrapeOfProjects>;
  readonly projects: readonly {
    readonly id: string;
    readonly records: readonly RecordView[];
    /** The oldest first. */
    readonly changes: readonly HistoryView[];
  }[];
}

/** Asks until nothing happened meanwhile: what waited for a scrape at the kill gets it at the start. */
async function knownTo(client: Client): Promise<Known> {
  for (;;) {
    const events = await eventsOf(client);
    const scrapes = await scrapesOf(client);
    const projects = [];
    for (const id of ids) {
      const { changes } = await client.call('project.history', { id, limit: 1_000 });
      const { records } = await client.call('project.records', { id });
      projects.push({ id, records, changes: [...changes].reverse() });
    }
    const { lastEvent } = await client.call('daemon.status', {});
    if (lastEvent === events.length) return { events, scrapes, projects };
  }
}

/** The history of one project contradicts neither itself nor its record nor its scrapes. */
function checkHistory({ id, records, changes }: Known['projects'][number], { scrapes }: Known): void {
  assert.deepEqual(
    records.map(({ fields }) => fields['price']?.value),
    changes.slice(-1).map(({ fields }) => fields['price']?.new),
  );
  for (const [place, change] of changes.entries()) {
    assert.equal(change.kind, place === 0 ? 'added' : 'changed');
    assert.deepEqual(change.fields['price']?.old, changes[place - 1]?.fields['price']?.new);
  }
  const complete = [...scrapes.values()].filter(
    ({ projects: [project], status }) => project === id && status === 'complete',
  );
  assert.deepEqual(
    changes.map(({ scrape }) => scrape).toSorted((one, other) => one - other),
    complete.map(({ scrape }) => scrape).toSorted((one, other) => one - other),
  );
}

async function actorsOf(client: Client): Promise<string[]> {
  const named = (node: TreeNode, id: string): TreeNode | undefined => node.children?.find((child) => child.id === id);
  // The pass that starts them may be under way.
  await untilReady(client);
  const projects = named(await client.call('tree.get', {}), 'projects')?.children ?? [];
  return projects.map(({ id }) => id).toSorted();
}

/** Whatever was told before is there, once, and all of it tells the same story. */
async function check(client: Client, told: Told): Promise<void> {
  assert.deepEqual(await actorsOf(client), ids);
  const known = await knownTo(client);
  const { events, scrapes, projects } = known;
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map((_, place) => place + 1),
  );
  for (const event of told.events.values()) assert.deepEqual(events[event.id - 1], event);
  assert.deepEqual(
    [...told.requested].filter((scrape) => !scrapes.has(scrape)),
    [],
  );
  for (const project of projects) checkHistory(project, known);
  const completed = events.filter(({ type }) => type === 'scrape.completed').map(({ scrape }) => scrape ?? 0);
  assert.equal(new Set(completed).size, completed.length);
  assert.deepEqual(
    completed.toSorted((one, other) => one - other),
    [...scrapes.values()]
      .flatMap(({ scrape, status }) => (status === 'complete' ? [scrape] : []))
      .toSorted((one, other) => one - other),
  );
}

test(
  'a daemon killed during 200 commits has lost nothing acknowledged, doubled nothing, and has one actor per project (B5)',
  { timeout: 90_000 },
  async (t) => {
    const site = await restlessSite(t);
    const folder = await daemonFolder(t, { shop: productSource('shop') });
    const first = await startOwnDaemon(folder);
    for (const id of ids)
      await first.client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
    await first.kill();

    const told: Told = { requested: new Set(), events: new Map() };
    for (let round = 0; round < rounds; round += 1) {
      await workAndKill(folder, told, 1 + Math.floor(Math.random() * commits));
      const { client, kill } = await startOwnDaemon(folder);
      await check(client, told);
      await kill();
    }
    t.diagnostic(
      `${told.requested.size} requests and ${told.events.size} events were acknowledged in ${rounds} rounds`,
    );
    assert.ok(told.requested.size > rounds);
    assert.ok([...told.events.values()].some(({ type }) => type === 'scrape.completed'));
  },
);
