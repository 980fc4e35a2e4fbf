import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Report } from '../../src/health/ticket-life.ts';
import { actOnTicket } from '../../src/store/act-on-ticket.ts';
import { endSnoozes, nextSnoozeEnd } from '../../src/store/end-snoozes.ts';
import {
  endTrouble,
  hasTrouble,
  noteHealthy,
  reportTrouble,
  setCause,
  setRepaired,
  setRepairs,
  ticketsOf,
} from '../../src/store/tickets.ts';
import { archiveProject } from '../../src/store/projects.ts';
import { renameSource } from '../../src/store/rename-source.ts';
import type { Store } from '../../src/store/store.ts';
import { type Symptom, symptomId } from '../../src/view/symptom.ts';
import { temporaryStore, told, track } from './fixture.ts';

const dayMs = 86_400_000;

const fewer: Symptom = { kind: 'records', record: 'item', measure: 'records', observed: 820, expected: { low: 825 } };
const priceLost: Symptom = { kind: 'field', record: 'item', field: 'price', measure: 'fill', observed: 0.5, of: 100 };
const late: Symptom = { kind: 'late', measure: 'age', observed: 7_200_000 };

const crawl = (member: number) => ({ source: 'shop', member });

async function report(store: Store, member: number, symptoms: readonly Symptom[], more: Partial<Report> = {}) {
  return store.write((change) =>
    reportTrouble(store, change, crawl(member), {
      at: change.at,
      symptoms,
      projects: ['solar'],
      samples: ['https://shop.test/1'],
      scrape: 7,
      ...more,
    }),
  );
}

const healthy = (store: Store, member: number) => store.write((change) => noteHealthy(store, change, crawl(member)));

const stateOf = (store: Store, ticket: number) => store.tickets.get(ticket)?.state;

async function opened(t: TestContext) {
  const { store, clock } = await temporaryStore(t);
  const ticket = await report(store, 1, [fewer]);
  return { store, clock, ticket: ticket.ticket };
}

describe('a ticket', () => {
  test('is told to come back by the repaired definition, once, with the evidence of that run', async (t) => {
    const { store, ticket } = await opened(t);
    const pages = { good: 'a', bad: 'b' };
    await setCause(store, ticket, { kind: 'rule_lost', says: [] }, { pages });
    const [at, by] = [store.tickets.get(ticket)?.lastAt ?? 0, 'auto' as const];
    await setRepaired(store, ticket, { what: 'repaired', version: 'v2', by });
    await report(store, 1, [fewer], { version: 'v1', scrape: 8 });
    assert.equal(store.tickets.get(ticket)?.scrape, 7);
    await report(store, 1, [fewer], { version: 'v2', scrape: 9 });
    await report(store, 1, [fewer], { version: 'v2', scrape: 10 });
    const view = store.tickets.get(ticket);
    assert.deepEqual([view?.scrape, view?.cause, view?.pages], [9, undefined, undefined]);
    assert.deepEqual(view?.repaired, { at, version: 'v2', by, recurredAt: at });
    assert.equal(view?.log.filter(({ what }) => what === 'seen again by the repaired definition').length, 1);
  });

  test('carries where it was seen, what was observed and expected, and addresses', async (t) => {
    const { store, ticket } = await opened(t);
    const view = store.tickets.get(ticket);
    assert.deepEqual(
      [view?.sources, view?.scrape, view?.symptoms, view?.samples, view?.targets],
      [['shop'], 7, [fewer], ['https://shop.test/1'], 1],
    );
    assert.deepEqual(told(store), ['ticket.opened']);
  });

  test('gets an occurrence from the same anomaly in the next run, which is not told', async (t) => {
    const { store, ticket } = await opened(t);
    const again = await report(store, 1, [{ ...fewer, observed: 810 }]);
    assert.deepEqual([again.ticket, again.occurrences, again.symptoms[0]?.observed], [ticket, 2, 810]);
    assert.deepEqual(told(store), ['ticket.opened']);
  });

  test('takes up a further symptom of its target, which is told', async (t) => {
    const { store, ticket } = await opened(t);
    const again = await report(store, 1, [fewer, priceLost]);
    assert.deepEqual([again.ticket, again.symptoms.length], [ticket, 2]);
    assert.deepEqual(told(store), ['ticket.opened', 'ticket.changed']);
  });

  test('is another one for another symptom of another target', async (t) => {
    const { store, ticket } = await opened(t);
    assert.notEqual((await report(store, 2, [priceLost])).ticket, ticket);
  });

  test('is another one for what has nothing to do with it, as an objective that is broken', async (t) => {
    const { store, ticket } = await opened(t);
    assert.notEqual((await report(store, 1, [late])).ticket, ticket);
  });

  test('counts the targets that have the same symptom', async (t) => {
    const { store, ticket } = await opened(t);
    assert.equal((await report(store, 2, [fewer])).ticket, ticket);
    assert.equal((await report(store, 2, [fewer])).targets, 2);
  });

  test('does not count a source as a whole among its targets, and stays open as long as one of both shows it', async (t) => {
    const { store, ticket } = await opened(t);
    assert.equal((await report(store, 0, [fewer])).targets, 1);
    for (const _ of [1, 2]) await healthy(store, 1);
    assert.deepEqual([stateOf(store, ticket), store.tickets.get(ticket)?.targets], ['open', 0]);
    for (const _ of [1, 2]) await healthy(store, 0);
    assert.equal(stateOf(store, ticket), 'resolved');
  });
});

describe('a ticket is resolved', () => {
  test('by two healthy runs in a row', async (t) => {
    const { store, ticket } = await opened(t);
    await healthy(store, 1);
    assert.equal(stateOf(store, ticket), 'open');
    await report(store, 1, [fewer]);
    await healthy(store, 1);
    assert.equal(stateOf(store, ticket), 'open');
    await healthy(store, 1);
    assert.deepEqual([stateOf(store, ticket), store.tickets.get(ticket)?.resolvedBy], ['resolved', 'healthy']);
    assert.deepEqual(told(store), ['ticket.opened', 'ticket.resolved']);
    assert.deepEqual(ticketsOf(store, crawl(1)), []);
  });

  test('only when each of its targets was healthy twice', async (t) => {
    const { store, ticket } = await opened(t);
    await report(store, 2, [fewer]);
    for (const member of [1, 1, 2]) await healthy(store, member);
    assert.deepEqual([stateOf(store, ticket), store.tickets.get(ticket)?.targets], ['open', 1]);
    await healthy(store, 2);
    assert.equal(stateOf(store, ticket), 'resolved');
  });

  test('not by a run that says nothing of its symptoms', async (t) => {
    const { store, ticket } = await opened(t);
    for (const _ of [1, 2])
      await store.write((change) => noteHealthy(store, change, crawl(1), { judges: ({ kind }) => kind !== 'records' }));
    assert.equal(stateOf(store, ticket), 'open');
  });

  test('at once where its trouble is over for certain', async (t) => {
    const { store, ticket } = await opened(t);
    const { ticket: other } = await report(store, 1, [late]);
    await store.write((change) => endTrouble(store, change, crawl(1), ({ kind }) => kind === 'late'));
    assert.deepEqual([stateOf(store, ticket), stateOf(store, other)], ['open', 'resolved']);
  });

  test('once: a repair that was under way when it was resolved is told by itself', async (t) => {
    const { store, ticket } = await opened(t);
    await actOnTicket(store, ticket, { act: 'resolve' }, 'ada');
    await setRepaired(store, ticket, { what: 'repaired: item.price is .cost', version: 'v2', by: 'person' }, 'max');
    const [last] = store.events.rows({ newestFirst: true, limit: 1 });
    assert.deepEqual(told(store), ['ticket.opened', 'ticket.resolved', 'ticket.changed']);
    assert.equal(last?.type === 'ticket.changed' && last.data.change, 'repaired');
    assert.equal(stateOf(store, ticket), 'resolved');
  });

  test('by a person, and acts on it no more', async (t) => {
    const { store, ticket } = await opened(t);
    await actOnTicket(store, ticket, { act: 'resolve' }, 'ada');
    assert.deepEqual(store.tickets.get(ticket)?.log.at(-1), { at: 1_000_000, what: 'resolved', by: 'ada' });
    assert.equal(await actOnTicket(store, ticket, { act: 'acknowledge' }), 'resolved');
    assert.equal(await actOnTicket(store, 99, { act: 'acknowledge' }), 'not_found');
  });
});

describe('a ticket whose targets are not scraped any more', () => {
  test('is resolved as that, and not as healthy, with what its source shows as a whole', async (t) => {
    const { store } = await temporaryStore(t);
    const targets = await track(store, 'lamp', 'https://shop.test/1', 'https://shop.test/2');
    const [first = 0] = targets;
    const { ticket } = await report(store, first, [fewer]);
    const { ticket: whole } = await report(store, 0, [late]);
    await archiveProject(store, 'lamp');
    for (const each of [ticket, whole]) {
      const view = store.tickets.get(each);
      assert.deepEqual(
        [view?.state, view?.resolvedBy, view?.targets, view?.log.at(-1)?.what],
        ['resolved', 'untracked', 0, 'resolved: none of its targets is scraped any more'],
      );
    }
    assert.equal((await report(store, first, [fewer])).ticket, ticket);
  });

  test('stays open as long as another project tracks one of them', async (t) => {
    const { store } = await temporaryStore(t);
    const [first = 0] = await track(store, 'lamp', 'https://shop.test/1');
    const [second = 0] = await track(store, 'lamps', 'https://shop.test/2');
    const { ticket } = await report(store, first, [fewer]);
    await report(store, second, [fewer]);
    await report(store, 0, [fewer]);
    await archiveProject(store, 'lamp');
    assert.deepEqual([stateOf(store, ticket), store.tickets.get(ticket)?.targets], ['open', 1]);
    await archiveProject(store, 'lamps');
    assert.equal(stateOf(store, ticket), 'resolved');
  });
});

describe('a symptom that comes back', () => {
  test('reopens its ticket within a week, with the targets that show it now', async (t) => {
    const { store, clock, ticket } = await opened(t);
    await report(store, 2, [fewer]);
    for (const member of [1, 1, 2, 2]) await healthy(store, member);
    clock.now += 6 * dayMs;
    const again = await report(store, 1, [fewer]);
    assert.deepEqual([again.ticket, again.state, again.reopened, again.targets], [ticket, 'open', 1, 1]);
    assert.deepEqual(told(store), ['ticket.opened', 'ticket.resolved', 'ticket.reopened']);
  });

  test('reopens it as what it is now: without the cause, pages, repairs, addresses and symptoms of its last life', async (t) => {
    const { store, ticket } = await opened(t);
    await report(store, 1, [fewer, priceLost], { crawl: 3, projects: ['lunar'], samples: ['https://shop.test/2'] });
    await setCause(
      store,
      ticket,
      { kind: 'placeholder', says: ['price says "Loading…"'] },
      { pages: { good: 'aaa', bad: 'bbb' } },
    );
    await setRepairs(store, ticket, { version: 'v1', proposals: [] });
    await setRepaired(store, ticket, { what: 'repaired', version: 'v2', by: 'auto' });
    for (const _ of [1, 2]) await healthy(store, 1);
    const again = await report(store, 2, [fewer], { scrape: 9, version: 'v2' });
    assert.deepEqual([again.ticket, again.reopened, again.occurrences], [ticket, 1, 3]);
    const { symptoms, cause, pages, repairs, repaired, scrape, crawl, version, samples, projects } = again;
    assert.deepEqual(
      { symptoms, cause, pages, repairs, repaired, scrape, crawl, version, samples, projects },
      {
        ...{ symptoms: [fewer], cause: undefined, pages: undefined, repairs: undefined },
        ...{ repaired: undefined, crawl: undefined },
        ...{ scrape: 9, version: 'v2', samples: ['https://shop.test/1'], projects: ['solar'] },
      },
    );
  });

  test('opens another ticket later, or where a person ended the one before', async (t) => {
    const { store, clock, ticket } = await opened(t);
    for (const _ of [1, 2]) await healthy(store, 1);
    clock.now += 8 * dayMs;
    const second = await report(store, 1, [fewer]);
    assert.notEqual(second.ticket, ticket);
    await actOnTicket(store, second.ticket, { act: 'accept' });
    assert.notEqual((await report(store, 1, [fewer])).ticket, second.ticket);
  });
});

describe('a ticket that a person has taken up', () => {
  test('is acknowledged and assigned, which is told', async (t) => {
    const { store, ticket } = await opened(t);
    await actOnTicket(store, ticket, { act: 'acknowledge' }, 'ada');
    await actOnTicket(store, ticket, { act: 'assign', to: 'max' }, 'ada');
    const view = store.tickets.get(ticket);
    assert.deepEqual([view?.state, view?.assignee], ['acknowledged', 'max']);
    assert.deepEqual(told(store), ['ticket.opened', 'ticket.changed', 'ticket.changed']);
  });

  test('is counted as snoozed and not as open until its snooze is over, or it is acknowledged or resolved', async (t) => {
    const { store, clock, ticket } = await opened(t);
    const counts = () => store.tickets.countByState(clock.now);
    assert.deepEqual(counts(), { open: 1, acknowledged: 0, snoozed: 0 });
    await actOnTicket(store, ticket, { act: 'snooze', until: clock.now + dayMs });
    assert.deepEqual(counts(), { open: 0, acknowledged: 0, snoozed: 1 });
    clock.now += dayMs;
    assert.deepEqual(counts(), { open: 1, acknowledged: 0, snoozed: 0 });
    await actOnTicket(store, ticket, { act: 'snooze', until: clock.now + dayMs });
    await actOnTicket(store, ticket, { act: 'acknowledge' });
    assert.deepEqual(counts(), { open: 0, acknowledged: 1, snoozed: 0 });
    await actOnTicket(store, ticket, { act: 'resolve' });
    assert.deepEqual(counts(), { open: 0, acknowledged: 0, snoozed: 0 });
  });

  test('tells nothing while it is snoozed, and that it is still there after that', async (t) => {
    const { store, clock, ticket } = await opened(t);
    await actOnTicket(store, ticket, { act: 'snooze', until: clock.now + dayMs });
    const before = told(store).length;
    await report(store, 1, [fewer, priceLost]);
    await setCause(store, ticket, { kind: 'rule_lost', says: [] });
    assert.equal(told(store).length, before);
    assert.equal(nextSnoozeEnd(store), clock.now + dayMs);
    clock.now += dayMs;
    for (const _ of [1, 2]) await endSnoozes(store);
    await report(store, 1, [fewer]);
    assert.deepEqual(told(store).slice(before), ['ticket.changed']);
    assert.deepEqual([nextSnoozeEnd(store), store.tickets.get(ticket)?.snoozedUntil], [undefined, undefined]);
  });
});

describe('a snoozed ticket', () => {
  test('that comes and goes by itself tells neither, and is told again once its snooze is over', async (t) => {
    const { store, clock, ticket } = await opened(t);
    await actOnTicket(store, ticket, { act: 'snooze', until: clock.now + dayMs });
    const before = told(store).length;
    for (const _ of [1, 2]) await healthy(store, 1);
    assert.equal(stateOf(store, ticket), 'resolved');
    await report(store, 1, [fewer]);
    assert.equal(stateOf(store, ticket), 'open');
    assert.deepEqual([told(store).length, store.tickets.countByState(clock.now).snoozed], [before, 1]);
    clock.now += dayMs;
    await endSnoozes(store);
    for (const _ of [1, 2]) await healthy(store, 1);
    assert.deepEqual(told(store).slice(before), ['ticket.changed', 'ticket.resolved']);
  });

  test('that has ended by itself meanwhile is told as resolved once its snooze is over', async (t) => {
    const { store, clock, ticket } = await opened(t);
    await actOnTicket(store, ticket, { act: 'acknowledge' });
    await actOnTicket(store, ticket, { act: 'snooze', until: clock.now + dayMs });
    for (const _ of [1, 2]) await healthy(store, 1);
    const before = told(store).length;
    clock.now += dayMs;
    await endSnoozes(store);
    assert.deepEqual(told(store).slice(before), ['ticket.resolved']);
    assert.equal(stateOf(store, ticket), 'resolved');
  });

  test('that a person ends is told at once, and snoozed no more', async (t) => {
    const { store, clock, ticket } = await opened(t);
    await actOnTicket(store, ticket, { act: 'snooze', until: clock.now + dayMs });
    await actOnTicket(store, ticket, { act: 'resolve' });
    assert.deepEqual([told(store).at(-1), store.tickets.get(ticket)?.snoozedUntil], ['ticket.resolved', undefined]);
  });
});

test('a host whose sources fail has one ticket that lists them', async (t) => {
  const { store } = await temporaryStore(t);
  const failing: Symptom = { kind: 'failing', measure: 'targets', observed: 1, of: 5 };
  const reported = (source: string) =>
    store.write((change) =>
      reportTrouble(
        store,
        change,
        { source, host: 'https://shop.test', member: 0 },
        {
          at: change.at,
          symptoms: [failing],
          projects: [source],
        },
      ),
    );
  const { ticket } = await reported('shop');
  const second = await reported('news');
  const ofSource = (source: string) => Array.from(store.tickets.unresolvedOf(source), (each) => each.ticket);
  assert.deepEqual([ofSource('shop'), ofSource('news')], [[ticket], [ticket]]);
  assert.deepEqual([second.ticket, second.sources, second.projects], [ticket, ['shop', 'news'], ['shop', 'news']]);
});

test('tickets go with a source that is renamed', async (t) => {
  const { store, ticket } = await opened(t);
  await renameSource(store, { from: 'shop', to: 'store' });
  assert.deepEqual(store.tickets.get(ticket)?.sources, ['store']);
  assert.equal(ticketsOf(store, { source: 'store', member: 1 })[0]?.ticket, ticket);
  assert.deepEqual(
    [...store.tickets.unresolvedOf('store')].map((each) => each.ticket),
    [ticket],
  );
  assert.deepEqual([...store.tickets.unresolvedOf('shop')], []);
});

test('the unresolved tickets of a source are found beside those of 2,000 others', async (t) => {
  const { store } = await opened(t);
  await report(store, 1, [late]);
  await store.write((change) => {
    for (let number = 0; number < 2_000; number += 1)
      reportTrouble(
        store,
        change,
        { source: `source-${number}`, member: 1 },
        { at: change.at, symptoms: [fewer], projects: ['solar'] },
      );
  });
  const numbers = () => Array.from(store.tickets.unresolvedOf('shop'), ({ ticket }) => ticket);
  assert.deepEqual(numbers(), [2, 1]);
  for (const _ of [1, 2]) await healthy(store, 1);
  assert.deepEqual([numbers(), hasTrouble(store, 'shop')], [[2], false]);
  await report(store, 1, [fewer]);
  assert.deepEqual([numbers(), hasTrouble(store, 'shop')], [[2, 1], true]);
});

test('of a ticket that is over, which symptoms it had is forgotten as others are opened', async (t) => {
  const { store, clock, ticket } = await opened(t);
  const rule = (text: string): Symptom => ({ kind: 'rule', record: 'item', measure: text, observed: 0 });
  for (let limit = 0; limit < 50; limit += 1) await report(store, 1, [rule(`records > ${limit}`)]);
  for (const _ of [1, 2]) await healthy(store, 1);
  const isKnown = (symptom: Symptom) => store.tickets.newestOf('shop', symptomId(symptom)) === ticket;
  await report(store, 2, [late]);
  assert.equal(isKnown(rule('records > 0')), true, 'it may be reopened');
  clock.now += 8 * dayMs;
  for (let member = 3; member < 9; member += 1) {
    await store.write((change) => endTrouble(store, change, crawl(member - 1), () => true));
    clock.now += 8 * dayMs;
    await report(store, member, [late]);
  }
  assert.deepEqual(
    [isKnown(fewer), isKnown(rule('records > 0')), isKnown(rule('records > 49'))],
    [false, false, false],
  );
  assert.notEqual(store.tickets.newestOf('shop', symptomId(late)), undefined);
});
