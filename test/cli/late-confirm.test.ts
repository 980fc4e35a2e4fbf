import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { productSource, startDaemon } from '../support/daemon.ts';
import { run } from './terminal.ts';

const shop = productSource('shop', 'url: "https://shop.example/{page}"').replace(
  'type: money }',
  'type: money, confirm: { times: 3 } }',
);
const refusal =
  /shop: records\.product\.fields\.price\.confirm: .* objective of the field, 12h, but 3 observations, one each 6h, take 18h/;

test('an objective of a project that a field cannot be confirmed within is refused by validate, apply and add', async (t) => {
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  await writeFile(join(cwd, 'sources', 'shop.yaml'), shop);
  const projects =
    '- id: lamp\n  every: 6h\n  objectives: { fields: { price: { errorAfter: 12h } } }\n  targets: [{ source: shop, params: { page: 1 } }]\n';
  await writeFile(join(cwd, 'projects.yaml'), projects);
  const validated = await run(['validate'], { cwd });
  assert.equal(validated.status, 2);
  assert.match(validated.out + validated.err, refusal);

  const { socket, client } = await startDaemon(t, { sources: { shop } });
  const applied = await run(['apply', '-f', 'projects.yaml', '--socket', socket, '--any-daemon'], { cwd });
  assert.match(applied.err, refusal);
  const target = { source: 'shop', params: { page: '1' } };
  const objectives = { fields: { price: { errorAfterMs: 43_200_000 } } };
  await assert.rejects(
    client.call('project.add', { id: 'lamp', everyMs: 21_600_000, objectives, targets: [target] }),
    refusal,
  );
  await client.call('project.add', { id: 'lamp', everyMs: 14_400_000, objectives, targets: [target] });
});

test('an edit, of one project or of many, is refused where a field could not be confirmed within its objective any more', async (t) => {
  const { socket, client } = await startDaemon(t, { sources: { shop } });
  const objectives = { fields: { price: { errorAfterMs: 43_200_000 } } };
  for (const id of ['lamp', 'tent'])
    await client.call('project.add', {
      id,
      everyMs: 14_400_000,
      objectives,
      labels: ['all'],
      targets: [{ source: 'shop', params: { page: id } }],
    });
  await assert.rejects(client.call('project.update', { id: 'lamp', everyMs: 21_600_000 }), refusal);
  await assert.rejects(client.call('project.update', { id: 'lamp', targetSchedule: { everyMs: 21_600_000 } }), refusal);
  await assert.rejects(
    client.call('project.update', {
      id: 'lamp',
      addTargets: [{ source: 'shop', params: { page: 'new' }, everyMs: 21_600_000 }],
    }),
    refusal,
  );
  const bulk = await run(['edit', '--label', 'all', '--every', '6h', '--yes', '--socket', socket]);
  assert.notEqual(bulk.status, 0);
  assert.match(bulk.out + bulk.err, refusal);
  await client.call('project.update', { id: 'lamp', everyMs: 10_800_000 });
});

test('another definition that confirms too late for a tracked project is refused, and the one before stays', async (t) => {
  const { client, define } = await startDaemon(t, { sources: { shop } });
  const objectives = { fields: { price: { errorAfterMs: 43_200_000 } } };
  const target = { source: 'shop', params: { page: '1' } };
  await client.call('project.add', { id: 'lamp', everyMs: 14_400_000, objectives, targets: [target] });
  await define('shop', shop.replace('times: 3', 'times: 5'));
  const { problems, changed } = await client.call('source.reload', {});
  assert.deepEqual(changed, []);
  assert.match(
    problems[0]?.message ?? '',
    /objective of the field, 12h, but 5 observations, one each 4h, take 20h, by the schedule of project "lamp"$/,
  );
  assert.equal(problems[0]?.path, 'records.product.fields.price.confirm');
  await define('shop', shop.replace('times: 3', 'times: 2'));
  assert.deepEqual((await client.call('source.reload', {})).changed, ['shop']);
});
