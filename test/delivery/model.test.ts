import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { refused, startDelivering } from './fixture.ts';

/** What may happen to a sink: changes of keys, time that passes, a receiver that refuses some, and kills. */
const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('change' as const),
      keys: fc.array(fc.nat(6), { minLength: 1, maxLength: 12 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 60_000 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refuse' as const), modulus: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'settle' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'kill' as const }) },
);

test('whatever a receiver refuses and whenever the daemon is killed, each message arrives, in order for its key [J69]', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 5, maxLength: 25 }), async (happenings) => {
      const { change, pass, settled, answer, accepted, kill, start, store } = await startDelivering(t, {
        retry: { giveUpAfter: '30d' },
      });
      let [modulus, count] = [0, 0];
      answer(async () => {
        // Some answers come only later, as over a network.
        if (count % 3 === 0) await new Promise(setImmediate);
        count += 1;
        return modulus > 0 && count % modulus === 0 ? refused(500) : { ok: true, status: 200 };
      });
      for (const each of happenings) {
        if (each.do === 'change') await change(...each.keys.map((key) => `k${key}`));
        else if (each.do === 'pass') await pass(each.ms);
        else if (each.do === 'refuse') modulus = each.modulus;
        else if (each.do === 'settle') await settled();
        else {
          kill();
          await start();
        }
      }
      modulus = 0;
      await settled();
      // Two days at most: a message waits an hour at the longest, and one after the other where many failed in a row.
      for (let halfHours = 0; halfHours < 96 && store.sinks.parked.count() > 0; halfHours += 1) await pass(1_800_000);
      await pass(3_600_000, 1_800_000);

      const told = [...store.events.rows()].map(({ id }) => `${store.generation()}-${id}`);
      const first = [...new Set(accepted.map(({ id }) => id))];
      assert.deepEqual(first.toSorted(), told.toSorted());
      const byKey = Map.groupBy(accepted, ({ key }) => key);
      for (const [key, took] of byKey) {
        const serials = [...new Set(took.map(({ id }) => Number(id.replace(/.*-/, ''))))];
        assert.deepEqual(
          serials,
          serials.toSorted((one, other) => one - other),
          key,
        );
      }
      assert.equal(store.sinks.parked.count(), 0);
      kill();
    }),
    { numRuns: 8, seed: 9 },
  );
});
