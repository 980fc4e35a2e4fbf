import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunStep } from '../../src/engine/step.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { settingsOf, startAt, startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const names = ['a', 'b', 'c'];

/** A source whose pages stand at `/name`, and whose pulse asks `/pulse/name` for the price. */
function pulsing(site: Site, politeness = 'delay: 1ms, minDelay: 1ms'): string {
  const pulse = `url: "${site.origin}/{name}"
pulse:
  url: "${site.origin}/pulse/{name}"
  record: product
  fields: { sku: { css: h1, required: true }, price: { css: .price, type: money } }`;
  return productSource('shop', pulse).replace('delay: 1ms, minDelay: 1ms', politeness);
}

async function trackAll({ track }: TimedDaemon, site: Site): Promise<void> {
  for (const name of names) await track(name, { source: 'shop', url: site.url(`/${name}`) });
}

function pages(price: string): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => [
      [`/${name}`, productPage(name, price)],
      [`/pulse/${name}`, productPage(name, price)],
    ]),
  );
}

async function priceOf({ client }: TimedDaemon, id: string): Promise<unknown> {
  const { records } = await client.call('project.records', { id });
  return records[0]?.fields['price']?.value;
}

describe('the pulse of a source', () => {
  test('asks one data point of each of its targets every five minutes (B42)', async (t) => {
    const site = await openSite(t, pages('1.00'));
    const timed = await startTimed(t, { sources: { shop: pulsing(site) } });
    await trackAll(timed, site);
    await timed.pass(200 * second);
    for (const name of names) site.answer(`/pulse/${name}`, productPage(name, '2.00'));
    await timed.pass(101 * second);
    for (const name of names) assert.deepEqual(await priceOf(timed, name), { amount: '2.00', currency: 'EUR' });
    await timed.pass(600 * second);
    await timed.settle();
    for (const name of names) {
      const asked = timed.sent.filter(({ url }) => url === site.url(`/pulse/${name}`));
      assert.deepEqual(
        asked.map(({ at }) => Math.round((at - startAt) / second)),
        [300, 600, 900],
      );
    }
  });

  test('was last at the time when somebody was asked, and not in rounds outside the hours', async (t) => {
    const site = await openSite(t, pages('1.00'));
    const hours = 'available: { hours: "00:00-00:12" }\n';
    const timed = await startTimed(t, { sources: { shop: hours + pulsing(site) } });
    const lastAt = async () => (await timed.client.call('source.get', { id: 'shop' })).pulse?.lastAt;
    await timed.pass(301 * second);
    assert.equal(await lastAt(), undefined, 'nobody is tracked yet');
    await trackAll(timed, site);
    await timed.pass(1_500 * second);
    assert.ok(Math.abs(((await lastAt()) ?? 0) - (startAt + 600 * second)) < 10 * second);
  });

  test('that fails, or crashes its actor, leaves the exact times of the projects alone (B43)', async (t) => {
    const times: number[][] = [];
    for (const failing of ['nothing', 'answers', 'errors']) {
      const site = await openSite(t, pages('1.00'));
      if (failing === 'answers') for (const name of names) site.answer(`/pulse/${name}`, { status: 500 });
      const timed = await startTimed(t, {
        sources: { shop: pulsing(site) },
        settings: settingsOf({ everyMs: 120 * second }),
        pulseEveryMs: 30 * second,
        intercept:
          (runStep: RunStep): RunStep =>
          (step, signal, onSent) => {
            if (failing === 'errors' && step.request.url.includes('/pulse/')) throw new Error('the pulse is broken');
            return runStep(step, signal, onSent);
          },
      });
      await trackAll(timed, site);
      await timed.pass(500 * second);
      times.push(names.flatMap(timed.starts));
    }
    assert.ok((times[0]?.length ?? 0) >= 12);
    assert.deepEqual(times[1], times[0]);
    assert.deepEqual(times[2], times[0]);
  });

  test('comes at once where a person asks for it, and again at its own times', async (t) => {
    const site = await openSite(t, pages('1.00'));
    const timed = await startTimed(t, { sources: { shop: pulsing(site, 'delay: 4s, minDelay: 4s') } });
    await trackAll(timed, site);
    await timed.pass(100 * second);
    const { pulse } = await timed.client.call('source.pulse', { id: 'shop' });
    assert.equal(pulse?.running, true);
    await assert.rejects(timed.client.call('source.pulse', { id: 'shop' }), /under way/);
    await timed.pass(210 * second);
    await timed.settle();
    const asked = timed.sent.filter(({ url }) => url.includes('/pulse/'));
    const gaps = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0));
    assert.ok(Math.min(...gaps) >= 4 * second, 'each in its turn');
    assert.deepEqual(
      asked.filter(({ url }) => url.endsWith('/a')).map(({ at }) => Math.round((at - startAt) / second)),
      [100, 300],
    );
  });

  test('is not begun for a source that has none', async (t) => {
    const { client } = await startTimed(t, { sources: { shop: productSource('shop') } });
    await assert.rejects(client.call('source.pulse', { id: 'shop' }), { code: 'conflict' });
    await assert.rejects(client.call('source.pulse', { id: 'shop2' }), { code: 'not_found' });
  });

  test('that fails for one target asks the others all the same (B52)', async (t) => {
    const site = await openSite(t, { ...pages('1.00'), '/pulse/a': { status: 404 } });
    const timed = await startTimed(t, { sources: { shop: pulsing(site) } });
    await trackAll(timed, site);
    await timed.pass(200 * second);
    for (const name of ['b', 'c']) site.answer(`/pulse/${name}`, productPage(name, '3.00'));
    await timed.pass(101 * second);
    await timed.settle();
    for (const name of ['b', 'c']) assert.deepEqual(await priceOf(timed, name), { amount: '3.00', currency: 'EUR' });
    const { pulse } = await timed.client.call('source.get', { id: 'shop' });
    assert.equal(pulse?.lastFailure?.code, 'pulse_failed');
  });

  test('asks nothing of a project that is archived, nor of a target that is finished, from then on (B12, B24)', async (t) => {
    const site = await openSite(t, { ...pages('1.00'), '/b': productPage('b', '1.00', 'gone') });
    const timed = await startTimed(t, { sources: { shop: pulsing(site) }, pulseEveryMs: 30 * second });
    await trackAll(timed, site);
    await timed.pass(20 * second);
    await timed.client.call('project.archive', { id: 'a' });
    await timed.pass(60 * second);
    await timed.settle();
    const pulsed = new Set(timed.sent.filter(({ url }) => url.includes('/pulse/')).map(({ url }) => url));
    assert.deepEqual([...pulsed], [site.url('/pulse/c')]);
  });

  test('shares one rate limit with the scrapes of its source (B44)', async (t) => {
    const site = await openSite(t, pages('1.00'));
    const timed = await startTimed(t, {
      sources: { shop: pulsing(site, 'delay: 4s, minDelay: 4s') },
      settings: settingsOf({ everyMs: 40 * second }),
      pulseEveryMs: 30 * second,
    });
    await trackAll(timed, site);
    await timed.pass(150 * second);
    const kinds = new Set(timed.sent.map(({ url }) => url.includes('/pulse/')));
    assert.equal(kinds.size, 2);
    const gaps = timed.sent.slice(1).map(({ at }, index) => at - (timed.sent[index]?.at ?? 0));
    assert.ok(Math.min(...gaps) >= 4 * second, `${Math.min(...gaps)} ms`);
  });

  test('wins over an older observation of the same field that is written later (B45)', async (t) => {
    const site = await openSite(t, pages('1.00'));
    const held = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    const timed = await startTimed(t, {
      sources: { shop: pulsing(site, 'delay: 1ms, minDelay: 1ms, concurrency: 2') },
      pulseEveryMs: 30 * second,
      intercept:
        (runStep: RunStep): RunStep =>
        async (step, signal, onSent) => {
          const outcome = await runStep(step, signal, onSent);
          if (!step.request.url.includes('/pulse/')) {
            read.resolve();
            await held.promise;
          }
          return outcome;
        },
    });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.settle();
    timed.clock.advance(second);
    await read.promise;
    site.answer('/pulse/a', productPage('a', '9.00'));
    timed.clock.advance(29 * second);
    await timed.event(({ type }) => type === 'record.added');
    held.resolve();
    await timed.event(({ type }) => type === 'scrape.completed');
    assert.deepEqual(await priceOf(timed, 'a'), { amount: '9.00', currency: 'EUR' });
    const { records } = await timed.client.call('project.records', { id: 'a' });
    assert.equal(records[0]?.fields['state']?.value, 'live');
  });
});
