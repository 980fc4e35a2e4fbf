import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import { VirtualClock } from '../../src/clock.ts';
import type { JobEnd, RunningJob, Work } from '../../src/pipeline/runs.ts';
import { pipelines, type PipelinesMessage } from '../../workers/pipelines.ts';

function job(name: string, tries = 1): RunningJob {
  return { pipeline: 'nightly', run: 1, name, tries, job: undefined, results: {} };
}

/** A job that runs until the test ends it. */
interface Begun {
  readonly job: RunningJob;
  readonly signal: AbortSignal;
  end(end?: JobEnd): void;
}

/** Starts the actor over what is to be run, which the test sets. */
async function started(t: TestContext, jobs: readonly RunningJob[]) {
  const clock = new VirtualClock();
  const registry = new Registry<'pipelines', PipelinesMessage>();
  const system = createSystem({ clock });
  let work: Work | undefined = { jobs, nextAt: undefined };
  let looks = 0;
  const begun: Begun[] = [];
  const ended: (readonly [name: string, end: JobEnd])[] = [];
  const spawned = await system.spawn<PipelinesMessage>(
    (self) =>
      pipelines(self, {
        clock,
        registry,
        advance() {
          looks += 1;
          return Promise.resolve(work);
        },
        run(one, signal) {
          const { promise, resolve } = Promise.withResolvers<JobEnd | undefined>();
          begun.push({ job: one, signal, end: resolve });
          return promise;
        },
        ended(one, end) {
          ended.push([one.name, end]);
          return Promise.resolve(true);
        },
      }),
    { id: 'pipelines' },
  );
  if (spawned.ok !== true) assert.fail('the actor did not start');
  t.after(() => system.exit(spawned.ref, 'shutdown'));
  await system.idle();
  return {
    ...{ clock, begun, ended, looks: () => looks },
    namesOf: () => begun.map(({ job: { name, tries } }) => `${name} ${tries}`),
    settled: () => system.idle(),
    async look(next: Work | undefined) {
      work = next;
      spawned.ref.send({ type: 'look' });
      await system.idle();
    },
  };
}

describe('the actor of pipelines', () => {
  test('runs jobs at once, each once, and looks for more when one ends', async (t) => {
    const { begun, ended, namesOf, look, settled } = await started(t, [job('a'), job('b')]);
    await look({ jobs: [job('a'), job('b')], nextAt: undefined });
    assert.deepEqual(namesOf(), ['a 1', 'b 1']);
    await look({ jobs: [job('b'), job('c')], nextAt: undefined });
    begun[1]?.end({ result: 5 });
    await settled();
    assert.deepEqual(ended, [['b', { result: 5 }]]);
    assert.deepEqual(namesOf(), ['a 1', 'b 1', 'c 1', 'b 1']);
  });

  test('cuts a job that is no longer to be running, and runs it again only when its end has come', async (t) => {
    const { begun, ended, namesOf, look, settled } = await started(t, [job('a')]);
    await look({ jobs: [], nextAt: undefined });
    assert.equal(begun[0]?.signal.aborted, true);
    await look({ jobs: [job('a', 2)], nextAt: undefined });
    assert.deepEqual(namesOf(), ['a 1']);
    begun[0]?.end({ result: 1 });
    await settled();
    assert.deepEqual(namesOf(), ['a 1', 'a 2']);
    assert.deepEqual(ended, []);
  });

  test('looks when a schedule is due, and again after a while where the store is full', async (t) => {
    const { clock, looks, look, settled } = await started(t, []);
    await look({ jobs: [], nextAt: clock.now() + 5_000 });
    const before = looks();
    clock.advance(4_999);
    await settled();
    assert.equal(looks(), before);
    clock.advance(1);
    await settled();
    assert.equal(looks(), before + 1);
    await look(undefined);
    clock.advance(30_000);
    await settled();
    assert.equal(looks(), before + 3);
  });
});
