import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { secretsFrom } from '../../../src/session/secret-store.ts';
import { run } from '../../cli/terminal.ts';
import { openSite } from '../../support/site.ts';
import { json } from '../lists/listing.ts';
import { pagesPlugin, pluggedSource, startPlugged } from './plugging.ts';

const collecting = `export function* collect() { yield { type: 'trial', fields: { id: 'a', colour: 'red' } }; }`;

describe('a project on a source with a plug-in', () => {
  test('is added by the name of the source alone, unless its address needs more', async (t) => {
    const slugged = pluggedSource('slugged', 'url: http://127.0.0.1/{board}/{slug}').replace('slugged.ts', 'all.ts');
    const plain = `id: plain\nrecords: { page: { key: title, fields: { title: h1 } } }\n`;
    const daemon = await startPlugged(
      t,
      { 'all.ts': collecting },
      { sources: { all: pluggedSource('all'), slugged, plain }, findSecrets: secretsFrom({ environment: {} }) },
    );
    const add = (source: string) => run(['add', `p-${source}`, '--source', source, '--socket', daemon.socket]);
    const added = await add('all');
    assert.equal(added.status, 0, added.err);
    const { scrape = 0 } = await daemon.event(
      ({ type, projects }) => type === 'scrape.completed' && projects?.[0] === 'p-all',
    );
    const refused = await add('slugged');
    assert.notEqual(refused.status, 0);
    assert.match(refused.err, /expected a value for "board"; expected a value for "slug".*\{board\}/);
    assert.match((await add('plain')).err, /source "plain" has no address pattern: expected --url$/m);
    // What no record declares is shown beside the step that gave it.
    const { out } = await run(['scrapes', String(scrape), '--socket', daemon.socket]);
    assert.match(out, /^ +Undefined field: trial - colour$/m);
  });
});

describe('a page that a plug-in reads', () => {
  test('is tried with what no record declares beside its records', async (t) => {
    const site = await openSite(t, { '/p': json({ trials: [{ id: 'a', colour: 'red' }] }) });
    const daemon = await startPlugged(t, { 'pages.ts': pagesPlugin }, { sources: { pages: pluggedSource('pages') } });
    const { out, err } = await run(['try', 'pages', site.url('/p'), '--socket', daemon.socket]);
    assert.match(out, /^1 record\n(?:.*\n)*Undefined field: trial - colour$/m, out + err);
  });
});
