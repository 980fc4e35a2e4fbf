import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import { VirtualClock } from '../../src/clock.ts';
import {
  type Kind,
  reconciler,
  type ReconcilerDeps,
  type ReconcilerMessage,
  type GivenUp,
  type Progress,
} from '../../workers/reconciler.ts';

const passMs = 30_000;

/** A reconciler of projects that are only noted; `next` lets it make its next pass. */
async function startReconciler(t: TestContext, projects: Projects) {
  const { desired, running } = projects;
  const clock = new VirtualClock(0);
  const system = createSystem({ clock });
  const done: string[] = [];
  const givenUp: GivenUp[] = [];
  const progress: Progress[] = [];
  const deps: ReconcilerDeps = {
    clock,
    registry: new Registry<'reconciler', ReconcilerMessage>(),
    random: () => 0.5,
    async *desired(kind: Kind, among?: ReadonlySet<string>) {
      if (kind !== 'project') return;
      done.push(among === undefined ? 'read' : `read ${[...among].join(', ')}`);
      yield [...desired].filter((id) => among?.has(id) ?? true);
    },
    running: (kind) => (kind === 'project' ? [...running] : []),
    isRunning: (kind, id) => kind === 'project' && running.has(id),
    isSettled: (kind) => kind === 'project' && projects.isSettled(),
    async start(_, id) {
      done.push(`start ${id}`);
      running.add(id);
      return { ok: 'ignore' };
    },
    async stop(_, id) {
      done.push(`stop ${id}`);
      running.delete(id);
    },
    before: async () => undefined,
    gaveUp: (each) => void givenUp.push(each),
    progressed: (each) => void progress.push(each),
    wallJumped: async () => undefined,
  };
  const spawned = await system.spawn<ReconcilerMessage>((self) => reconciler(self, deps), { id: 'reconciler' });
  if (spawned.ok !== true) assert.fail('the reconciler did not start');
  t.after(() => system.exit(spawned.ref, 'shutdown'));
  await system.idle();
  return {
    clock,
    done,
    givenUp,
    progress,
    async changed(...projects: string[]) {
      done.splice(0);
      spawned.ref.send({ type: 'reconcile', projects });
      await system.idle();
    },
    async giveUp(id: string) {
      running.delete(id);
      spawned.ref.send({ type: 'gave-up', kind: 'project', id, reason: 'killed' });
      await system.idle();
    },
    async next(afterMs = passMs) {
      done.splice(0);
      clock.advance(afterMs);
      await system.idle();
    },
  };
}

interface Projects {
  readonly desired: Set<string>;
  readonly running: Set<string>;
  isSettled(): boolean;
}

test('what should run is compared with what runs every 30 s, unless neither has changed', async (t) => {
  const projects = { desired: new Set(['a', 'b']), running: new Set<string>(), isSettled: () => false };
  const { done, next } = await startReconciler(t, projects);
  assert.deepEqual(done, ['read', 'start a', 'start b']);
  projects.desired.delete('a');
  await next();
  assert.deepEqual(done, ['read', 'stop a']);
  projects.isSettled = () => true;
  await next();
  assert.deepEqual(done, []);
  projects.running.delete('b');
  projects.isSettled = () => false;
  await next();
  assert.deepEqual(done, ['read', 'start b']);
});

test('how many actors are still to start is told until the first whole comparison is made', async (t) => {
  const projects = { desired: new Set(['a', 'b']), running: new Set<string>(), isSettled: () => false };
  const { progress } = await startReconciler(t, projects);
  assert.ok(progress.some(({ ready, remaining }) => !ready && remaining === 2));
  assert.deepEqual(
    [progress[0], progress.at(-1)],
    [
      { ready: false, remaining: 0 },
      { ready: true, remaining: 0 },
    ],
  );
});

test('a change of some projects starts and stops those alone, and puts off no comparison of all', async (t) => {
  const projects = { desired: new Set(['a']), running: new Set<string>(), isSettled: () => false };
  const { changed, clock, done, next } = await startReconciler(t, projects);
  projects.desired.add('b').add('c');
  projects.desired.delete('a');
  clock.advance(passMs - 1);
  await changed('a', 'b');
  assert.deepEqual(done, ['read a, b', 'stop a', 'start b']);
  await next(1);
  assert.deepEqual(done, ['read', 'start c']);
  assert.deepEqual([...projects.running], ['b', 'c']);
});

test('what was given up is tried again after its pause, whatever the wall clock is set to meanwhile', async (t) => {
  for (const setBy of [-86_400_000, 86_400_000]) {
    const projects = { desired: new Set(['a']), running: new Set<string>(), isSettled: () => false };
    const { clock, done, giveUp, givenUp, next } = await startReconciler(t, projects);
    await giveUp('a');
    assert.deepEqual(
      givenUp.map(({ id, retryAt }) => [id, retryAt - clock.now()]),
      [['a', 60_000]],
    );
    clock.wall = clock.now() + setBy;
    await next();
    assert.deepEqual(done, ['read']);
    await next();
    assert.ok(done.includes('start a'));
  }
});
