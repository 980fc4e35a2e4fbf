import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import type { Client } from '../../src/control/client.ts';
import type { TicketFacts } from '../../src/view/ticket.ts';
import type { SymptomKind } from '../../src/view/symptom.ts';
import { politeSource } from './polite/support.ts';
import { forEachQueueServer, openHeldPages } from './worker-cluster.ts';

const politeness = 'autoThrottle: false, concurrency: 64, delay: 0ms, minDelay: 0ms';
const sources = { shop: politeSource('shop', { politeness }), mart: politeSource('mart', { politeness }) };

/** Durations that pass within a test. Worker processes are looked at every 15 s. */
const workers = { forgetAfter: '40s', alarms: { offline: '1s', lasting: '1s' } };

forEachQueueServer('a daemon whose worker processes use', { sources, workers }, (cluster) => {
  test('opens a ticket each for one that is killed, for the steps that were lost with it, and for those that wait for the only slot that is left; the first is over once it is forgotten [S43]', async (t) => {
    const { client, track, work } = await cluster();
    const told = await ticketsOf(client);
    const { process: killed } = await work(t, 5);
    const lost = await openHeldPages(t, 5);
    await track('lost', 'shop', lost.urls);
    await lost.came(5);
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;

    await work(t, 1);
    // More than are asked for until the ticket is there: one after the other, each of which has waited for the one before.
    const waiting = await openHeldPages(t, 40);
    waiting.answerAll(2_000);
    await track('waiting', 'mart', waiting.urls);
    const [offline, failing, slow] = await Promise.all([
      told('ticket.opened', 'workers_offline'),
      told('ticket.opened', 'workers_failing'),
      told('ticket.opened', 'workers_waiting'),
    ]);
    assert.equal(new Set([offline, failing, slow].map(({ ticket }) => ticket)).size, 3);
    for (const { sources: of } of [offline, failing, slow]) assert.deepEqual(of, []);
    assert.deepEqual(
      offline.symptoms.map(({ worker }) => worker),
      [`${hostname()} ${killed.pid}`],
    );
    const [share] = failing.symptoms;
    assert.ok(share !== undefined && share.observed >= 5 / 45 && share.observed <= 1, `${share?.observed}`);
    assert.deepEqual(share.expected, { high: 0.01 });
    const [wait] = slow.symptoms;
    assert.ok((wait?.observed ?? 0) > 1_000, `${wait?.observed} ms`);
    assert.equal((await told('ticket.resolved', 'workers_offline')).ticket, offline.ticket);
  });
});

/** Returns a function that resolves with the ticket of which the first event of a type about a symptom tells. */
async function ticketsOf(client: Client): Promise<(type: string, kind: SymptomKind) => Promise<TicketFacts>> {
  const tickets: { readonly type: string; readonly facts: TicketFacts }[] = [];
  let more = Promise.withResolvers<void>();
  await client.subscribe({ types: ['ticket.opened', 'ticket.resolved'] }, (event) => {
    if (event.type !== 'ticket.opened' && event.type !== 'ticket.resolved') return;
    tickets.push({ type: event.type, facts: event.data });
    more.resolve();
    more = Promise.withResolvers();
  });
  return async (wanted, kind) => {
    for (;;) {
      const found = tickets.find(
        ({ type, facts }) => type === wanted && facts.symptoms.some((each) => each.kind === kind),
      );
      if (found !== undefined) return found.facts;
      await more.promise;
    }
  };
}
