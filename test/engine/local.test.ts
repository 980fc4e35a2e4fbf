import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { runLocally } from '../../src/engine/local.ts';
import { type Step, TurnUnused } from '../../src/engine/step.ts';
import { BodyBudget } from '../../src/fetch/body-budget.ts';
import { createClient } from '../../src/fetch/wire/client.ts';
import { defaultLimits } from '../support/politeness.ts';
import { openSite } from '../support/site.ts';

/** Runs a step whose request may be sent until 1,000, by a clock that tells these instants one after the other, and the last one from then on. */
async function runAt(t: TestContext, url: string, instants: readonly number[]) {
  const budget = new BodyBudget();
  const client = createClient({ budget, userAgent: 'a test' });
  t.after(() => client.close());
  const left = [...instants];
  const now = (): number => (left.length > 1 ? left.shift() : left[0]) ?? 0;
  const step: Step = { request: { url, allowPrivate: true, limits: defaultLimits }, sendBy: 1_000 };
  const none = (): never => assert.fail('expected no page to be read or rendered');
  const deps = { client, budget, now, renderPage: none, extract: none };
  return runLocally(step, deps, new AbortController().signal, () => undefined);
}

describe('a step whose request may be sent until an instant', () => {
  test('is sent before it', async (t) => {
    const site = await openSite(t, { '/': 'page' });
    assert.equal((await runAt(t, site.url('/'), [1_000])).kind, 'page');
  });

  test('does not use its turn, and asks nobody, when that was over before it began', async (t) => {
    const site = await openSite(t, { '/': 'page' });
    await assert.rejects(runAt(t, site.url('/'), [1_001]), TurnUnused);
    assert.deepEqual(site.asked, []);
  });

  test('does not use its turn, and asks nobody, when it was over once the connection was made', async (t) => {
    const site = await openSite(t, { '/': 'page' });
    await assert.rejects(runAt(t, site.url('/'), [999, 1_001]), TurnUnused);
    assert.deepEqual(site.asked, []);
  });
});
