import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordView } from '../../src/view/record.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now, project, record } from './views.ts';

/** A record with one field. */
function known(key: string, more: Partial<RecordView> = {}): RecordView {
  return { ...record, key, fields: { title: { value: key, observedAt: now, verifiedAt: now } }, ...more };
}

/** A daemon that hands out records in slices, and never more than 60 at once. */
function shop(t: Parameters<typeof serve>[0], all: readonly RecordView[]) {
  return serve(t, {
    'project.get': () => project,
    'project.records': ({ after = '0', limit }) => {
      const end = Number(after) + Math.min(limit, 60);
      return { records: all.slice(Number(after), end), ...(end < all.length && { next: String(end) }) };
    },
  });
}

describe('show', () => {
  test('shows the first 100 records, or as many as are wanted, and says that there are more', async (t) => {
    const { path } = await shop(
      t,
      Array.from({ length: 130 }, (_, index) => known(`k${index}`)),
    );
    const first = await run(['show', 'solar', '--socket', path], { now });
    assert.equal(first.out.match(/^k\d+\t/gm)?.length, 100);
    assert.equal(first.err, '… and more than 100 records: --limit shows more\n');
    const all = await run(['show', 'solar', '--limit', '200', '--socket', path], { now });
    assert.equal(all.out.match(/^k\d+\t/gm)?.length, 130);
    assert.equal(all.err, '');
  });

  test('says why a turn comes sooner than the interval after the last scrape', async (t) => {
    const hour = 3_600_000;
    const [target] = project.targets;
    assert.ok(target?.lastScrape);
    const lastScrape = { ...target.lastScrape, status: 'complete', startedAt: now } as const;
    const shown = async (dueAt: number) => {
      const targets = [{ ...target, everyMs: hour, lastScrape, dueAt }];
      const { path } = await serve(t, {
        'project.get': () => ({ ...project, targets }),
        'project.records': () => ({ records: [] }),
      });
      return (await run(['show', 'solar', '--socket', path], { now })).out;
    };
    const told = /^ {2}next +in 29m; every 1h at fixed times, which spread what one site is asked$/m;
    assert.match(await shown(now + 29 * 60_000), told);
    assert.match(await shown(now + hour), /^ {2}next +in 1h$/m);
  });

  test('shows what crawls no longer find apart, after all that they do', async (t) => {
    const absent = { since: now - 86_400_000, times: 2, scrape: 3 };
    const { path } = await shop(t, [known('lost', { absent }), known('here')]);
    const { out } = await run(['show', 'solar', '--socket', path], { now });
    assert.match(
      out,
      /campaign here[^]*campaign lost: absent since 1d ago, for 2 complete scrapes\n\n[^]*campaign lost/,
    );
  });
});

describe('sources', () => {
  test('tells a problem that belongs to no source', async (t) => {
    const problem = { file: '/s/gone', line: 1, column: 1, path: '', message: 'there is no such file or folder' };
    const { path } = await serve(t, { 'source.list': () => ({ sources: [], problems: [problem] }) });
    assert.match((await run(['sources', '--socket', path], { now })).err, /gone: there is no such file or folder\n$/);
  });

  test('tells the key that a problem stands at', async (t) => {
    const problem = { file: '/s/shop.yaml', line: 3, column: 7, path: 'records.item.key', message: 'expected a field' };
    const source = { id: 'shop', name: 'shop', provider: 'html', status: 'definition_error', targets: 0 } as const;
    const { path } = await serve(t, { 'source.list': () => ({ sources: [{ ...source, problems: [problem] }] }) });
    const { out } = await run(['sources', '--socket', path], { now });
    assert.match(out, /shop\.yaml\S*: records\.item\.key: expected a field$/m);
  });

  test('shows which records meet a rule, the first of them, and how many more', async (t) => {
    const met = ['A', 'B'].map((key) => ({ source: 'shop', type: 'article', key, since: now - 60_000 }));
    const { path } = await serve(t, {
      'project.get': () => ({ ...project, rules: { cheap: { of: 'article', when: 'stock < 5' } } }),
      'project.records': () => ({ records: [] }),
      'rule.list': () => ({
        rules: [
          { name: 'cheap', when: 'stock < 5', records: 9, met },
          { name: 'none', when: 'stock < 0', records: 0, met: [] },
        ],
      }),
    });
    const { out } = await run(['show', 'solar', '--socket', path], { now });
    assert.match(out, /^RULE\tWHEN\tMET BY\tRECORDS$/m);
    assert.match(out, /^cheap\tstock < 5\t9 records\tshop article A \(1m ago\), shop article B \(1m ago\), 7 more$/m);
    assert.match(out, /^none\tstock < 0\t–\t$/m);
  });
});
