import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Plan } from './model.ts';
import { type Fault, plant } from './plant.ts';

const restart = fc.constantFrom('permanent' as const, 'transient' as const, 'temporary' as const);
const limits = { intensity: fc.nat(3), periodMs: fc.integer({ min: 1, max: 3 }).map((seconds) => seconds * 1_000) };

const workerPlan = fc.record({
  kind: fc.constant('worker' as const),
  id: fc.constant('w'),
  restart,
  shutdown: fc.constantFrom(5_000 as const, 'brutal_kill' as const),
  traps: fc.boolean(),
});

const poolPlan = fc.record({
  kind: fc.constant('pool' as const),
  id: fc.constant('pool'),
  restart,
  budget: fc.constantFrom('shared' as const, 'per_child' as const),
  ...limits,
});

function staticPlan(child: fc.Arbitrary<Plan>) {
  return fc.record({
    kind: fc.constant('static' as const),
    id: fc.constant('s'),
    restart,
    strategy: fc.constantFrom('one_for_one' as const, 'one_for_all' as const, 'rest_for_one' as const),
    ...limits,
    children: fc.array(child, { minLength: 1, maxLength: 4 }),
  });
}

const leaf: fc.Arbitrary<Plan> = fc.oneof({ weight: 4, arbitrary: workerPlan }, { weight: 2, arbitrary: poolPlan });
const branch: fc.Arbitrary<Plan> = fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 1, arbitrary: staticPlan(leaf) });
const trees = staticPlan(branch).map((plan) => ({ ...plan, id: 'root', children: plan.children.map(placed('root')) }));

/** Gives a plan a path for its id. */
function placed(above: string): (plan: Plan, index: number) => Plan {
  return (plan, index) => {
    const id = `${above}/${plan.id}${index}`;
    return plan.kind === 'static' ? { ...plan, id, children: plan.children.map(placed(id)) } : { ...plan, id };
  };
}

const at = fc.nat(100);
const faults: fc.Arbitrary<Fault> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constantFrom('kill' as const, 'crash', 'leave', 'kill_supervisor'), at }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('terminate' as const, 'delete', 'restart'), at }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('start' as const),
      at,
      worker: workerPlan,
      failures: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('fail_starts' as const), at, times: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('elapse' as const), ms: fc.nat(5_000) }) },
);

describe('a supervision tree', () => {
  test('is after any faults what the rules make of it', async () => {
    const scripts = fc.array(faults, { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(trees, scripts, async (plan, script) => {
        const tree = await plant(plan);
        tree.compare();
        for (const fault of script) {
          await tree.apply(fault);
          tree.compare();
        }
      }),
      { numRuns: 1_500, interruptAfterTimeLimit: 4_000 },
    );
  });
});
