import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { run } from '../cli/terminal.ts';
import { productSource, startDaemon } from '../support/daemon.ts';

const hour = 3_600_000;
const page = (name: string) => ({ source: 'shop', params: { page: name } });
const z1 = 'https://shop.example/z1';
const twice = [{ ...page('z1'), everyMs: 3 * hour }, page('z2'), { source: 'shop', url: z1, everyMs: 2 * hour }];

const shops = (t: TestContext) =>
  startDaemon(t, { sources: { shop: productSource('shop', 'url: "https://shop.example/{page}"') } });

describe('a place that stands twice in one project', () => {
  const refused = {
    code: 'invalid_params',
    message: `project "shoes": targets[2]: expected each place once, got shop ${z1} as in targets[0]`,
  };

  test('is refused in a new project, in a changed one and in a list, tried out or not', async (t) => {
    const { client } = await shops(t);
    await assert.rejects(client.call('project.add', { id: 'shoes', targets: twice }), refused);
    const projects = [{ id: 'shoes', targets: twice }];
    for (const dryRun of [true, false])
      await assert.rejects(client.call('project.apply', { projects, dryRun }), refused);
    await assert.rejects(client.call('schedule.plan', { projects }), refused);
    assert.deepEqual((await client.call('project.list', {})).projects, []);
    await client.call('project.add', { id: 'shoes', targets: [page('z1')] });
    await assert.rejects(client.call('project.update', { id: 'shoes', targets: twice }), refused);
    assert.equal((await client.call('project.get', { id: 'shoes' })).targets.length, 1);
  });

  test('may stand in two projects', async (t) => {
    const { client } = await shops(t);
    const projects = ['a', 'b'].map((id) => ({ id, targets: [page('z1')] }));
    assert.equal((await client.call('project.apply', { projects })).changes.length, 2);
  });
});

describe('a list that its sources do not fit', () => {
  const fields = { pirce: { errorAfterMs: hour } };
  const projects = [
    { id: 'tents', targets: [page('z1'), { source: 'shpo', params: { page: 'z1' } }] },
    { id: 'boats', targets: [page('z1')] },
    { id: 'shoes', objectives: { fields }, targets: [{ source: 'shop', params: { slug: 'z1' } }] },
  ];
  const issues = [
    { path: 'projects[0].targets[1].source', message: 'no source "shpo" is loaded; did you mean "shop"?' },
    {
      path: 'projects[2].targets[0].params',
      message:
        'expected a value for "page"; "slug" is not in the pattern: source "shop" has https://shop.example/{page}',
    },
    {
      path: 'projects[2].objectives.fields.pirce',
      message: 'expected a declared field (sku, price, state), got "pirce"; did you mean "price"?',
    },
  ];

  test('is refused with all that is wrong, and with the project and target of each', async (t) => {
    const { client } = await shops(t);
    const message = `project "tents": targets[1].source: ${issues[0]?.message}
project "shoes": targets[0].params: ${issues[1]?.message}
project "shoes": objectives.fields.pirce: ${issues[2]?.message}`;
    await assert.rejects(client.call('project.apply', { projects }), { code: 'invalid_params', message, issues });
    await assert.rejects(client.call('schedule.plan', { projects }), { code: 'invalid_params', message, issues });
    assert.deepEqual((await client.call('project.list', {})).projects, []);
  });

  test('is said to name what is not there when that is all', async (t) => {
    const { client } = await shops(t);
    await assert.rejects(client.call('project.apply', { projects: projects.slice(0, 2) }), {
      code: 'not_found',
      message: `project "tents": targets[1].source: ${issues[0]?.message}`,
    });
  });

  test('is told of twenty times at most', async (t) => {
    const { client } = await shops(t);
    const targets = Array.from({ length: 25 }, (_, index) => ({ source: 'nobody', params: { page: String(index) } }));
    await assert.rejects(client.call('project.apply', { projects: [{ id: 'a', targets }] }), (error) => {
      assert.ok(error instanceof Error && 'issues' in error && Array.isArray(error.issues));
      assert.deepEqual([error.message.split('\n').length, error.issues.length], [21, 20]);
      assert.match(error.message, /targets\[19\]\.source: no source "nobody" is loaded\nand 5 more$/);
      return true;
    });
  });

  test('is no project of which an id could be told while it has none', async (t) => {
    const { client } = await shops(t);
    await assert.rejects(client.call('project.add', { targets: twice }), {
      message: `targets[2]: expected each place once, got shop ${z1} as in targets[0]`,
    });
  });
});

test('a plan from a day that has passed is refused with that day', async (t) => {
  const { socket } = await shops(t);
  const { status, err } = await run(['plan', '--from', '2020-01-01', '--socket', socket]);
  assert.equal(status, 2);
  assert.match(
    err,
    /expected an instant from the present day on and within ten years, got 2020-01-01T00:00:00\.000Z$/m,
  );
});
