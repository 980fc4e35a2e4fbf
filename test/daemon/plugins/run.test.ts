import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run } from '../../cli/terminal.ts';
import { pluggedSource, startPlugged } from './plugging.ts';

describe('heronry run', () => {
  test('runs a collector with its arguments, and leaves with 0 or, when it threw, with 1 (O1, O3)', async (t) => {
    const plugin = `export async function* collect(context, id = 'a') {
      if (id === 'bad') throw new Error('no such trial');
      yield { type: 'trial', fields: { id } };
    }`;
    const daemon = await startPlugged(t, { 'reg.ts': plugin }, { sources: { reg: pluggedSource('reg') } });
    await daemon.track('reg', { params: {} });
    const good = await run(['run', 'reg', 'b', '--socket', daemon.socket]);
    assert.deepEqual([good.status, good.err], [0, '']);
    assert.match(good.out, /^start .* of reg for reg with "b"\nstop .* complete: 1 collected, 1 step, /);
    const bad = await run(['run', 'reg', 'bad', '--socket', daemon.socket]);
    assert.equal(bad.status, 1);
    assert.match(bad.out, /reg\.ts: collect threw Error: no such trial \(reg\.ts:2\)/);
    const unknown = await run(['run', 'nobody', '--socket', daemon.socket]);
    assert.match(unknown.err, /no source "nobody"/);
    assert.notEqual(unknown.status, 0);
  });

  test('runs one that writes its own way and gives no drafts (O2)', async (t) => {
    const plugin = `import { writeFileSync } from 'node:fs';
    export const collect = async (context, file) => { if (file) writeFileSync(file, 'written'); };`;
    const source = pluggedSource('own').replace(/records:[^]*/, '');
    const daemon = await startPlugged(t, { 'own.ts': plugin }, { sources: { own: source } });
    const { scrape } = await daemon.track('own', { params: {} });
    assert.equal(scrape.status, 'complete', JSON.stringify(scrape));
    const { status } = await run(['run', 'own', `${daemon.folder}/written`, '--socket', daemon.socket]);
    assert.equal(status, 0);
    const { readFile } = await import('node:fs/promises');
    assert.equal(await readFile(`${daemon.folder}/written`, 'utf8'), 'written');
    const tried = await daemon.client.call('source.try', { id: 'own', params: {} });
    assert.match(tried.failure?.message ?? '', /request is not among the functions of this plug-in/);
  });
});
