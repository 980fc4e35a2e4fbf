import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { startAt, startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const priceWithin = (age: string): string => `every: 10m\nobjectives: { fields: { price: { errorAfter: ${age} } } }`;
const noPrice = '<h1>A</h1><p class="state">live</p>';

/** What was told of objectives, in order, and of which field. */
function told({ events }: TimedDaemon): string[] {
  return events
    .filter(
      (event) =>
        event.type === 'objective.warn' || event.type === 'objective.error' || event.type === 'objective.recovered',
    )
    .map(({ type, data }) => `${type.slice('objective.'.length)} ${String(data.field)}`);
}

async function shownObjectives({ client }: TimedDaemon, id: string) {
  const { targets } = await client.call('project.why', { id });
  return targets.map((target) => target.objectives);
}

describe('a field that is promised', () => {
  test('is as old as its target while no scrape finds it, and told once', async (t) => {
    const site = await openSite(t, { '/a': noPrice });
    const timed = await startTimed(t, { sources: { shop: productSource('shop', priceWithin('30m')) } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(25 * minute);
    assert.deepEqual(told(timed), []);
    await timed.pass(2 * hour);
    assert.deepEqual(told(timed), ['error price']);
    assert.equal((await shownObjectives(timed, 'a'))[0]?.[0]?.lastVerifiedAt, startAt);
    site.answer('/a', productPage('A', '1.00'));
    await timed.pass(10 * minute);
    assert.deepEqual(told(timed), ['error price', 'recovered price']);
  });

  test('is verified by a 304 only where it was on the page, also on one of very many records', async (t) => {
    const list = (more: (sku: number) => string): string =>
      `<ul>${Array.from({ length: 250 }, (_, sku) => `<li><b>${sku}</b>${more(sku)}</li>`).join('')}</ul>`;
    const site = await openSite(t);
    let body = list(() => '');
    const answer = (tag: string): void =>
      site.answer('/a', (request, response) => {
        const isKnown = request.headers['if-none-match'] === tag;
        response.writeHead(isKnown ? 304 : 200, { etag: tag, 'content-type': 'text/html' }).end(isKnown ? '' : body);
      });
    answer('"1"');
    const shop = productSource('shop', priceWithin('30m'))
      .replace('    key: sku\n', '    key: sku\n    each: { css: li }\n')
      .replace('sku: { css: h1, required: true }', 'sku: { css: b, required: true }');
    const timed = await startTimed(t, { sources: { shop } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(hour);
    assert.deepEqual(told(timed), ['error price']);
    body = list((sku) => (sku === 7 ? '<p class="price">EUR 1.00</p>' : ''));
    answer('"2"');
    await timed.pass(3 * hour);
    assert.deepEqual(told(timed), ['error price', 'recovered price']);
  });

  test('counts from when it was seen where it is promised later', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00') });
    const timed = await startTimed(t, { sources: { shop: productSource('shop', 'every: 1h') } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(30 * minute);
    await timed.client.call('project.update', {
      id: 'a',
      objectives: { fields: { price: { errorAfterMs: 45 * minute } } },
    });
    await timed.pass(second);
    assert.equal((await shownObjectives(timed, 'a'))[0]?.[0]?.lastVerifiedAt, startAt + second);
    assert.deepEqual(told(timed), []);
  });

  test('by a project is promised of those of its targets whose source has it', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00'), '/b': productPage('B', '1.00') });
    const blog = productSource('blog').replace('price: { css: .price, type: money }', 'views: { css: .price }');
    const timed = await startTimed(t, { sources: { shop: productSource('shop'), blog } });
    const targets = [
      { source: 'shop', url: site.url('/a') },
      { source: 'blog', url: site.url('/b') },
    ];
    const objectives = { fields: { price: { errorAfterMs: hour } } };
    await timed.client.call('project.add', { id: 'a', targets, objectives });
    await timed.tracked(1);
    await timed.pass(2 * hour);
    assert.deepEqual(
      (await shownObjectives(timed, 'a')).map((each) => each.map(({ field }) => field)),
      [['price'], []],
    );
    assert.deepEqual(told(timed), []);
  });
});

describe('a field that no record has', () => {
  const fields = { pirce: { errorAfterMs: hour } };
  const refusedAt = (place: string) => ({
    code: 'invalid_params',
    message: `project "a": ${place}objectives.fields.pirce: expected a declared field (sku, price, state), got "pirce"; did you mean "price"?`,
  });

  test('cannot be promised by a project, nor by a target of one', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00') });
    const { client, track } = await startTimed(t, { sources: { shop: productSource('shop') } });
    const target = { source: 'shop', url: site.url('/a') };
    const [own, whole] = [
      { targets: [{ ...target, objectives: { fields } }] },
      { targets: [target], objectives: { fields } },
    ];
    for (const [given, refused] of [
      [own, refusedAt('targets[0].')],
      [whole, refusedAt('')],
    ] as const) {
      await assert.rejects(client.call('project.add', { id: 'a', ...given }), refused);
      await assert.rejects(client.call('project.apply', { projects: [{ id: 'a', ...given }], dryRun: true }), refused);
    }
    await track('a', target);
    await assert.rejects(client.call('project.update', { id: 'a', objectives: { fields } }), refusedAt(''));
    await assert.rejects(client.call('project.update', { id: 'a', ...own }), refusedAt('targets[0].'));
  });

  test('is a problem of the definition that promises it', async (t) => {
    const shop = productSource('shop', 'objectives: { fields: { pirce: { errorAfter: 1h } } }');
    const { client } = await startTimed(t, { sources: { shop } });
    const { problems } = await client.call('source.reload', {});
    assert.deepEqual(
      problems.map(({ path, message }) => [path, message]),
      [
        [
          'objectives.fields.pirce',
          'expected a declared field (sku, price, state), got "pirce"; did you mean "price"?',
        ],
      ],
    );
  });
});
