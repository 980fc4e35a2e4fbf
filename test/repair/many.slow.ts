import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutations } from '../../src/drill/all.ts';
import { walls } from '../../src/drill/walls.ts';
import { type Case, repairCase } from './repaired.ts';
import { repairSites } from './sites.ts';

/** Seeds of each mutation that moves or renames, and of each other one, on each site. Every second one has other values on the same day. */
const [seeds, seedsOfLosses] = [36, 4];

/** The share of changes with a right first repair that each site has at least. */
const leastRight = 0.98;

/**
 * The same where evidence may lack: of six products, some have no old price, and on half of the days most stocks have changed as well, so that a
 * field may have one known value or two.
 */
const leastRightByFew: Readonly<Record<string, number>> = { 'demo shop': 0.85 };

test('rules are found anew on sites that differ, and none that may be made without a person is wrong', async (t) => {
  const cases: Case[] = [];
  for (const site of repairSites)
    for (const mutation of mutations)
      for (let seed = 1; seed <= (mutation.keepsAll ? seeds : seedsOfLosses); seed += 1) {
        // What stands in place of a page is the same for all seeds.
        if (walls.includes(mutation) && !mutation.keepsAll && seed > 1) break;
        const found = await repairCase(site, mutation, seed * 7_919, seed % 2 === 0);
        if (found !== undefined) cases.push(found);
      }
  const kept = cases.filter(({ saysAll, isKept }) => saysAll && isKept);
  const right = kept.filter(({ isRight }) => isRight).length;
  const safe = cases.filter(({ repairs }) => repairs[0]?.isSafe === true);
  const wrong = safe.filter(({ wrongOwn }) => wrongOwn.length > 0);
  t.diagnostic(
    `${cases.length} changes, of which ${kept.length} moved or renamed and removed nothing: ${right} (${((100 * right) / kept.length).toFixed(1)} %) have a right first repair`,
  );
  t.diagnostic(`${safe.length} repairs were safe to make without a person, ${wrong.length} of them wrong`);
  const shares = Array.from(
    Map.groupBy(kept, (each) => each.site),
    ([site, of]) => {
      const found = of.filter(({ isRight }) => isRight).length;
      t.diagnostic(`${site}: ${found} of ${of.length}`);
      return { site, share: found / of.length };
    },
  );
  for (const { site, share } of shares)
    assert.ok(share >= (leastRightByFew[site] ?? leastRight), `${site}: ${(100 * share).toFixed(1)} %`);
  assert.equal(shares.length, repairSites.length);
  assert.ok(safe.length >= 1_000, `${safe.length} safe repairs`);
  assert.deepEqual(
    wrong.map(({ site, mutation, wrongOwn }) => [site, mutation, wrongOwn[0]?.says]),
    [],
  );
});
