import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { campaignAt } from '../../src/demo/facts/campaign.ts';
import { moneyText } from '../../src/demo/facts/money.ts';
import { postsBefore } from '../../src/demo/facts/post.ts';
import { productAt, skusOf } from '../../src/demo/facts/product.ts';
import { trialAt, trialCount, trialId } from '../../src/demo/facts/trial.ts';
import { rising, type World } from '../../src/demo/facts/world.ts';
import { noon } from '../support/web/held-web.ts';

const world: World = { seed: 1, openedAt: noon };
const other: World = { seed: 2, openedAt: noon };
const hour = 3_600_000;

describe('facts of the demo web', () => {
  test('a seed gives the same facts every time, and another seed gives others', () => {
    assert.deepEqual(
      campaignAt(world, 'solar-backpack', noon + 5_000),
      campaignAt({ ...world }, 'solar-backpack', noon + 5_000),
    );
    assert.notDeepEqual(campaignAt(world, 'solar-backpack', noon), campaignAt(other, 'solar-backpack', noon));
    assert.notDeepEqual(productAt(world, 'bags-1000', noon), productAt(other, 'bags-1000', noon));
    assert.notDeepEqual(trialAt(world, trialId(0), noon), trialAt(other, trialId(0), noon));
  });

  test('what rises never falls', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(100_000),
        fc.double({ min: 0.01, max: 20_000, noNaN: true }),
        (seed, tick, perTick) => {
          const at = (when: number) => rising({ seed, openedAt: 0 }, when, perTick, 'x');
          assert.ok(at(tick + 1) >= at(tick));
        },
      ),
    );
  });

  test('pledges and backers rise while a campaign is live', () => {
    const [before, after] = [
      campaignAt(world, 'solar-backpack', noon),
      campaignAt(world, 'solar-backpack', noon + hour),
    ];
    assert.ok(before && after);
    assert.ok(after.pledged.minor > before.pledged.minor);
    assert.ok(after.backers > before.backers);
    assert.equal(after.status, 'live');
    assert.ok(after.updates.length > before.updates.length);
  });

  test('a campaign that has ended stays as it ended', () => {
    const last = campaignAt(world, 'pocket-kiln', noon + 9_999);
    const ended = campaignAt(world, 'pocket-kiln', noon + 10_000);
    assert.equal(last?.status, 'live');
    assert.equal(ended?.status, 'ended');
    assert.deepEqual(campaignAt(world, 'pocket-kiln', noon + 24 * hour), ended);
  });

  test('instants before the world opened show it as it opened', () => {
    assert.deepEqual(
      campaignAt(world, 'moss-lamp', noon - hour)?.pledged,
      campaignAt(world, 'moss-lamp', noon)?.pledged,
    );
  });

  test('any numbered campaign exists, and a name that was never given does not', () => {
    assert.equal(campaignAt(world, 'campaign-99999', noon)?.title, 'Campaign No. 99999');
    for (const slug of ['campaign-007', 'campaign--1', 'toString', ''])
      assert.equal(campaignAt(world, slug, noon), undefined);
  });

  test('an old price is shown only above a lower one, and some articles sell out', () => {
    const products = skusOf('lamps').map((sku) => productAt(world, sku, noon));
    const reduced = products.filter((product) => product?.oldPrice !== undefined);
    assert.ok(reduced.length > 5 && reduced.length < 55);
    assert.ok(reduced.every((product) => product && product.price.minor < (product.oldPrice?.minor ?? 0)));
    assert.ok(products.some((product) => product?.stock === 0));
  });

  test('a post keeps its text and its time while newer ones come', () => {
    const [first] = postsBefore(world, 'heron', noon, 100, 1);
    const [later] = postsBefore(world, 'heron', noon + hour, 100, 1);
    assert.ok(first && later);
    assert.deepEqual({ ...later, likes: 0 }, { ...first, likes: 0 });
    assert.ok(later.likes >= first.likes);
  });

  test('the register grows, and some of its dates are no dates', () => {
    assert.ok(trialCount(world, noon + hour) > trialCount(world, noon));
    const newest = trialId(trialCount(world, noon));
    assert.equal(trialAt(world, newest, noon), undefined);
    assert.equal(trialAt(world, newest, noon + hour)?.registered, '2026-03-14');
    const starts = Array.from({ length: 200 }, (_, number) => trialAt(world, trialId(number), noon)?.start ?? '');
    const wrong = starts.filter((start) => Number.isNaN(Date.parse(start)) || !/^\d{4}-\d\d-\d\d$/.test(start));
    assert.ok(wrong.length > 5 && wrong.length < 60, `${wrong.length} wrong dates`);
  });

  test('money is written as its country does', () => {
    assert.equal(moneyText({ minor: 123_456_705, currency: 'EUR' }), '1.234.567,05 €');
    assert.equal(moneyText({ minor: 123_450, currency: 'USD' }), '$1,234.50');
    assert.equal(moneyText({ minor: 95, currency: 'GBP' }), '£0.95');
  });
});
