import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { mutations } from '../../src/drill/all.ts';
import type { Drifted, WorldResult } from './drift/run-world.ts';

/** Sites of single pages, sites of many pages, and the changes of each; two processes share them. */
const [worlds, sites, changes, processes] = [102, 36, 30, 2];

/** The most changes of which anything may be told that is not the site's, as a share of all, and of those of a kind of site. */
const mostFalse = 0.004;
const mostFalseOf: Readonly<Record<string, number>> = {
  'demo shop': 0.005,
  'demo crowd': 0.01,
  cards: 0.002,
  crawl: 0.008,
  'pages of items': 0.02,
};

/** Runs all sites; healthy days by the daemon's own code, and each change after them. */
async function allWorlds(t: TestContext): Promise<readonly WorldResult[]> {
  const parts = Array.from({ length: processes }, async (_, part) => {
    const file = new URL('drift/drift-process.ts', import.meta.url);
    const child = fork(file, [part + 1, processes, worlds, changes, sites].map(String), { execArgv: [] });
    t.after(() => child.kill());
    const ended = once(child, 'exit').then(([status]) => assert.fail(`a process of sites ended with status ${status}`));
    const told = once(child, 'message') as Promise<[readonly WorldResult[]]>;
    const [results] = await Promise.race([told, ended]);
    return results;
  });
  return (await Promise.all(parts)).flat();
}

const percent = (count: number, of: number): string => `${((100 * count) / Math.max(1, of)).toFixed(2)} %`;

test('a site that drifts is noticed in the first run after it, by one ticket with the right cause, and a healthy one is not', async (t) => {
  const results = await allWorlds(t);
  const drifted = results.flatMap((each) => each.drifted);
  const found = drifted.filter(({ isFound }) => isFound);
  const rate = (some: readonly Drifted[]): number => some.filter(({ isFound }) => isFound).length / some.length;
  const [known, young] = [drifted.filter(({ days }) => days >= 7), drifted.filter(({ days }) => days < 7)];
  const right = found.filter(({ isRight }) => isRight);
  const unknown = found.filter(({ cause = 'unknown' }) => cause === 'unknown');
  const wrong = found.length - right.length - unknown.length;
  const falsely = drifted.filter(({ falseTold }) => falseTold > 0);
  const healthyDays = results.reduce((sum, each) => sum + each.healthyDays, 0);
  const falseTickets = results.flatMap((each) => each.falseTickets);

  t.diagnostic(
    `${drifted.length} changes of ${new Set(drifted.map(({ mutation }) => mutation)).size} kinds on ${results.length} sites`,
  );
  t.diagnostic(
    `found in the first run: ${percent(found.length, drifted.length)}; after 7 days or more ${(100 * rate(known)).toFixed(2)} %, after fewer ${(100 * rate(young)).toFixed(2)} %`,
  );
  t.diagnostic(
    `cause right: ${percent(right.length, found.length)}, wrong: ${percent(wrong, found.length)}, unknown: ${percent(unknown.length, found.length)}`,
  );
  t.diagnostic(`false tickets: ${falseTickets.length} on ${healthyDays} healthy days`);
  const falselyBy = [...Map.groupBy(drifted, ({ world }) => world)].map(([world, some]) => ({
    world,
    share: some.filter(({ falseTold }) => falseTold > 0).length / some.length,
    count: some.length,
  }));
  t.diagnostic(
    `records told that are not as the site has them: in ${percent(falsely.length, drifted.length)} of the changes (${falselyBy.map(({ world, share, count }) => `${world} ${(100 * share).toFixed(2)} % of ${count}`).join(', ')})`,
  );
  for (const [what, some] of [
    ['missed', drifted.filter(({ isFound }) => !isFound)],
    ['wrong cause', found.filter(({ isRight }) => !isRight)],
    ['told falsely', falsely],
  ] as const)
    for (const [name, of] of Map.groupBy(
      some,
      ({ world, part, mutation, cause = '' }) => `${mutation} (${world}, ${part}) ${cause}`,
    ))
      t.diagnostic(`${what}: ${of.length} × ${name}`);

  assert.ok(drifted.length >= 3_000, `${drifted.length} changes`);
  assert.ok(new Set(drifted.map(({ mutation }) => mutation)).size >= 30);
  assert.ok(mutations.length >= 30);
  assert.ok(rate(known) >= 0.99, `${rate(known)} found`);
  assert.ok(rate(young) >= 0.95, `${rate(young)} found`);
  assert.ok(right.length >= 0.95 * found.length, `${right.length} of ${found.length} causes are right`);
  assert.deepEqual(
    drifted.filter(({ tickets }) => tickets > 1),
    [],
  );
  assert.ok(falseTickets.length <= healthyDays / 1_000 + 1, falseTickets.join('\n'));
  // The goal is none. Left are values that look as true changes do, and pages of a crawl or of items that show another record.
  assert.ok(falsely.length <= mostFalse * drifted.length, `${falsely.length} changes told falsely`);
  assert.deepEqual(
    falselyBy.filter(({ world, share }) => share > (mostFalseOf[world] ?? 0)),
    [],
  );
});
