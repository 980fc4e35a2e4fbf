import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { temporaryDirectory } from '../control/daemon.ts';

const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'metrics.md'), 'utf8');
const yamls = Array.from(text.matchAll(/^```yaml\n(.*?)^```$/gms), ([, yaml = '']) => yaml);

test('docs/metrics.md shows projects and settings that are valid, and validate says which row of a table of rates is not', async (t) => {
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  const define = (id: string, fields: string) =>
    writeFile(join(cwd, 'sources', `${id}.yaml`), `id: ${id}\nrecords:\n${fields}`);
  await define(
    'campaign',
    '  campaign: { key: content, fields: { pledged: { css: b, type: money }, ends: { css: u, type: datetime } } }\n',
  );
  await define(
    'ads',
    '  ad: { key: content, fields: { spend: { css: b, type: money }, clicks: { css: i, type: integer } } }\n',
  );
  const rate = '{ base: { css: b }, quote: { css: i }, day: { css: p, type: date }, rate: { css: q, type: number } }';
  await define('bank', `  rate: { key: [base, quote, day], fields: ${rate} }\n`);
  const [projects = '', fromFile = '', fromSource = '', rules = ''] = yamls;
  const settings = [fromFile, fromSource];
  // The rules of the last example take the place of those of the first.
  const [others = ''] = projects.split('  rules:\n');
  await writeFile(
    join(cwd, 'projects.yaml'),
    `${projects}${others.replace('id: solar', 'id: other')}${rules.replaceAll(/^/gm, '  ')}`,
  );
  const rates = (rate: string) =>
    writeFile(join(cwd, 'rates.csv'), `base,quote,day,rate\nEUR,USD,2026-03-13,1.25\nEUR,GBP,2026-03-13,${rate}\n`);
  await rates('0.8');
  assert.equal(yamls.length, 4);
  for (const setting of settings.toReversed()) {
    await writeFile(join(cwd, 'heronry.yaml'), setting);
    const { status, out } = await run(['validate'], { cwd });
    assert.equal(status, 0, out);
  }
  await rates('-1');
  const { status, out } = await run(['validate'], { cwd });
  assert.equal(status, 2);
  assert.match(out, /^rates\.csv:1:1: row 2: expected base and quote .* rate from 1e-12 to 1e12/m);
});
