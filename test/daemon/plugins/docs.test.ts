import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { secretsFrom } from '../../../src/session/secret-store.ts';
import { blocksOf } from '../../docs/blocks.ts';
import { openSite } from '../../support/site.ts';
import { json, recordsOf } from '../lists/listing.ts';
import { startPlugged, told } from './plugging.ts';

/** Why the program of the docs cannot run here; `false` when it can. */
const noPython = spawnSync('python3', ['--version']).status === 0 ? false : 'there is no python3';

const page = readFileSync(join(import.meta.dirname, '../../../docs/plug-ins.md'), 'utf8');

const blocks = blocksOf(page);

/** The block of a language with a text in it. */
function block(language: string, part: string): string {
  const found = blocks.find((each) => each.language === language && each.content.includes(part));
  assert.ok(found, part);
  return found.content;
}

const loopback = 'allowPrivate: true\nrobots: ignore\npoliteness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }\n';

test('the plug-in and the definition of the docs are a source that works, as they are written', async (t) => {
  const site = await openSite(t, {
    '/api/west/sleep':
      '<div class=trial id=T1><h2>Naps</h2><i class=n>4</i></div><div class=trial id=T2><h2>Snores</h2><i class=n>few</i></div>',
  });
  const [code, yaml] = [block('ts', 'https://register.example/api'), block('yaml', 'id: register\n')];
  const here = (written: string): string => written.replaceAll('https://register.example', site.origin);
  const daemon = await startPlugged(t, { 'register.ts': here(code) }, { sources: { register: here(yaml) + loopback } });
  const { scrape, steps } = await daemon.track('register', { params: { topic: 'sleep' } });
  assert.equal(scrape.status, 'complete', JSON.stringify(scrape));
  assert.deepEqual(
    site.asked.map(({ path }) => path),
    ['/api/west/sleep?limit=100'],
  );
  const records = await recordsOf(daemon.client, 'register');
  assert.deepEqual([...records.keys()].sort(), ['T1', 'T2']);
  assert.equal(records.get('T1')?.fields['pages']?.value, 4);
  assert.deepEqual(steps[0]?.unparsed, [{ record: 'trial', field: 'pages', text: 'few', expected: 'a whole number' }]);
});

test('the collector of the docs knows its target by a page, asks for what is new, and goes on past what fails', async (t) => {
  const site = await openSite(t, {
    '/b/owls': '<h1 id="board" data-id="b7">Owls</h1>',
    '/list':
      '<ul><li id="n1"><a href="/n/1">Barn</a></li><li id="n2"><a href="/n/2">Tawny</a></li><li id="n3"><a href="/n/3">Eagle</a></li></ul>',
    '/n/1': json({ posted: '2026-03-02' }),
    '/n/2': { status: 404 },
    '/n/3': json({ posted: '2026-03-09' }),
  });
  const here = (written: string): string => written.replaceAll('https://board.example', site.origin);
  const [code, yaml] = [block('ts', 'https://board.example/list'), block('yaml', 'id: board\n')];
  const daemon = await startPlugged(t, { 'board.ts': here(code) }, { sources: { board: here(yaml) + loopback } });
  const { targets } = await daemon.client.call('project.add', { id: 'board', targets: [{ url: site.url('/b/owls') }] });
  assert.equal(targets[0]?.url, 'plugin:board?board=b7');
  const { scrape = 0 } = await daemon.event(({ type }) => type === 'scrape.completed');
  const first = await daemon.ended(scrape);
  assert.deepEqual([first.scrape.counts.added, first.scrape.errors], [2, 1]);
  await daemon.again('board');
  assert.deepEqual(
    site.asked.map(({ path }) => path).filter((path) => path.startsWith('/list')),
    ['/list?board=b7&since=', '/list?board=b7&since=2026-03-09'],
  );
  const records = await recordsOf(daemon.client, 'board');
  assert.deepEqual(
    Array.from(records, ([key, { fields }]) => [key, fields['title']?.value, fields['posted']?.value]),
    [
      ['n1', 'Barn', '2026-03-02'],
      ['n3', 'Eagle', '2026-03-09'],
    ],
  );
});

test('the program of the docs collects what is new since the day that it is told', { skip: noPython }, async (t) => {
  const daemon = await startPlugged(
    t,
    { 'registry.py': block('python', 'HERONRY_SINCE_UPDATED') },
    {
      sources: { registry: block('yaml', 'id: registry\n') },
      findSecrets: secretsFrom({ environment: { HERONRY_SECRET_REGISTRY_KEY: 'canary-key' } }),
    },
  );
  const first = await daemon.track('registry', { params: {} });
  assert.deepEqual([first.scrape.status, first.scrape.counts.added], ['complete', 2], JSON.stringify(first));
  const { scrape } = await daemon.again('registry');
  assert.deepEqual(scrape.counts, { added: 0, changed: 0, confirmed: 1 });
  assert.deepEqual(told(daemon, /asks/), [
    'info asks west for what is new since 2020-01-01',
    'info asks west for what is new since 2026-03-09',
  ]);
});
