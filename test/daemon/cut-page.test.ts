import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startTimed } from './passing.ts';

const hour = 3_600_000;
const whole =
  '<html><body><div><h1>lamp</h1><p class="price">EUR 40.50</p><p class="state">in stock</p></div></body></html>';
const cut = '<html><body><div><h1>lamp</h1><p class="price">EUR 4';
const oneRetry = '{ times: 1, first: 1s, longest: 1s, within: 1m }';

/** Tracks a page that answers with these texts, one for each request, and the last for all others. */
async function track(t: TestContext, answers: readonly string[]) {
  const site = await openSite(t);
  site.answer('/lamp', (_, response) => {
    const turn = site.asked.filter(({ path }) => path === '/lamp').length - 1;
    response.setHeader('content-type', 'text/html');
    response.end(answers[Math.min(turn, answers.length - 1)]);
  });
  const source = productSource('shop', 'every: 1h').replace('{ times: 0 }', oneRetry);
  const timed = await startTimed(t, { sources: { shop: source }, settings: settingsOf({}) });
  await timed.track('lamp', { source: 'shop', url: site.url('/lamp') });
  const priceOf = async () => (await timed.client.call('project.records', { id: 'lamp' })).records[0]?.fields['price'];
  const changes = () => timed.events.filter(({ type }) => type === 'record.changed').length;
  return { ...timed, priceOf, changes };
}

describe('a page that ends within an element, though it never did before', () => {
  test('was cut off: it is asked for again, and nothing of it is told', async (t) => {
    const { pass, priceOf, changes, events } = await track(t, [whole, cut, whole]);

    await pass(1.5 * hour);

    assert.equal(events.filter(({ type }) => type === 'scrape.completed').length, 2);
    assert.equal(events.filter(({ type }) => type === 'scrape.failed').length, 0);
    assert.deepEqual((await priceOf())?.value, { amount: '40.50', currency: 'EUR' });
    assert.equal(changes(), 0);
  });

  test('was cut off also where nothing of its record is left', async (t) => {
    const { pass, events } = await track(t, [whole, '<html><body><div>', whole]);

    await pass(1.5 * hour);

    assert.equal(events.filter(({ type }) => type === 'scrape.completed').length, 2);
    assert.equal(events.filter(({ type }) => type === 'scrape.failed').length, 0);
  });

  test('has a ticket once it stays so; who accepts that has it read as it is', async (t) => {
    const { client, pass, priceOf, changes, events } = await track(t, [whole, cut]);

    await pass(3.5 * hour);

    const failed = events.filter(({ type }) => type === 'scrape.failed');
    const { scrape } = await client.call('scrape.get', {
      scrape: failed[0]?.scrape ?? assert.fail('no scrape failed'),
    });
    assert.equal(scrape.failure?.code, 'truncated');
    assert.equal(scrape.failure?.message, 'cut short: the page ends within <div>');
    assert.deepEqual((await priceOf())?.value, { amount: '40.50', currency: 'EUR' });
    assert.equal(changes(), 0);
    const { tickets } = await client.call('ticket.list', {});
    assert.deepEqual(
      tickets.map(({ symptoms: [symptom], cause }) => [symptom?.kind, cause?.kind]),
      [['failing', 'items_cut']],
    );

    await client.call('ticket.accept', { ticket: tickets[0]?.ticket ?? 0 });
    await pass(hour);

    assert.deepEqual((await priceOf())?.value, { amount: '4.00', currency: 'EUR' });
  });
});

test('a page that never closed its elements is read', async (t) => {
  const { pass, priceOf } = await track(t, [cut, cut.replace('EUR 4', 'EUR 5')]);

  await pass(1.5 * hour);

  assert.deepEqual((await priceOf())?.value, { amount: '5.00', currency: 'EUR' });
});

test('a page that closes its elements at times is read, also where it does not', async (t) => {
  const { pass, priceOf } = await track(t, [cut, whole, cut.replace('EUR 4', 'EUR 5')]);

  await pass(2.5 * hour);

  assert.deepEqual((await priceOf())?.value, { amount: '5.00', currency: 'EUR' });
});

test('a page of a crawl that never closed its elements is read, beside others that do', async (t) => {
  const site = await openSite(t, { '/': '<html><body><a href="/p/1">1</a><a href="/p/2">2</a></body></html>' });
  site.answer('/p/1', whole);
  site.answer('/p/2', cut.replace('lamp', 'shade'));
  const shelves = productSource('shelves', 'every: 1h\ncrawl: { detail: [/p/] }');
  const { client, track: add, pass } = await startTimed(t, { sources: { shelves }, settings: settingsOf({}) });
  await add('shop', { source: 'shelves', url: site.url('/') });
  site.answer('/p/2', { status: 500, body: '' });
  await pass(1.5 * hour);
  site.answer('/p/2', cut.replace('lamp', 'shade').replace('EUR 4', 'EUR 5'));
  await pass(hour);

  const { records } = await client.call('project.records', { id: 'shop' });
  const prices = Object.fromEntries(records.map(({ key, fields }) => [key, fields['price']?.value]));
  assert.deepEqual(prices, {
    lamp: { amount: '40.50', currency: 'EUR' },
    shade: { amount: '5.00', currency: 'EUR' },
  });
});
