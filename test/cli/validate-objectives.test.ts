import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { productSource } from '../support/daemon.ts';
import { run } from './terminal.ts';

test('validate says which promised fields no source of a project has', async (t) => {
  const cwd = await mkdtemp(join(tmpdir(), 'heronry-validate-'));
  t.after(() => rm(cwd, { recursive: true, force: true }));
  await mkdir(join(cwd, 'sources'));
  await writeFile(join(cwd, 'sources', 'shop.yaml'), productSource('shop', 'url: "https://shop.example/{page}"'));
  const project = (field: string, own: string): string =>
    `- id: tents\n  objectives: { fields: { ${field}: { errorAfter: 1d } } }\n` +
    `  targets: [{ source: shop, params: { page: 1 }, objectives: { fields: { ${own}: { errorAfter: 1d } } } }]\n`;
  await writeFile(join(cwd, 'projects.yaml'), project('pirce', 'stat'));
  const { status, out } = await run(['validate'], { cwd });
  assert.equal(status, 2);
  for (const [wrong, right] of [
    ['pirce', 'price'],
    ['stat', 'state'],
  ])
    assert.ok(
      out.includes(
        `objectives.fields.${wrong}: expected a declared field (sku, price, state), got "${wrong}"; did you mean "${right}"?\n`,
      ),
      out,
    );
  await writeFile(join(cwd, 'projects.yaml'), project('price', 'state'));
  assert.deepEqual(await run(['validate'], { cwd }), {
    status: 0,
    out: '1 source and 1 project, no problems\n',
    err: '',
  });
});
