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
