import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import type { Repair } from '../../src/view/repair.ts';
import type { TicketView } from '../../src/view/ticket.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now } from './views.ts';

const ticket: TicketView = {
  ticket: 12,
  state: 'open',
  sources: ['shop'],
  symptoms: [
    {
      kind: 'field',
      record: 'product',
      field: 'price',
      measure: 'fill',
      observed: 0.9,
      expected: { low: 0.97 },
      of: 1000,
    },
    { kind: 'rule', record: 'product', measure: 'records > 100', observed: 3 },
  ],
  cause: {
    kind: 'rule_lost',
    says: ['.price matches nothing'],
    rules: [{ record: 'product', field: 'price', place: '.price', before: 1000, after: 900 }],
  },
  openedAt: now - 3_600_000,
  lastAt: now - 60_000,
  occurrences: 3,
  targets: 1,
  projects: ['solar'],
  scrape: 42,
  crawl: 7,
  version: 'v1',
  samples: ['https://shop.example/1'],
  pages: { good: 'aaa', bad: 'bbb' },
  reopened: 0,
  log: [{ at: now - 3_600_000, what: 'opened' }],
};

const repair: Repair = {
  changes: [{ record: 'product', field: 'price', before: '.price', to: { css: '.cost' } }],
  kept: [{ record: 'product', kept: 12, of: 12, other: 0 }],
  isSafe: false,
};

describe('tickets', () => {
  test('names the repairs of a resolved one, and not how to make them', async (t) => {
    const repairs = { version: 'v1', proposals: [repair] };
    const { path } = await serve(t, {
      'ticket.get': ({ ticket: number }) => ({ ...ticket, repairs, state: number === 1 ? 'resolved' : 'open' }),
    });
    const [resolved, open] = [
      await run(['ticket', '1', '--socket', path], { now }),
      await run(['ticket', '2', '--socket', path], { now }),
    ];
    assert.match(open.out, /--accept 1/);
    assert.match(resolved.out, /product\.price: \.price → \.cost/);
    assert.doesNotMatch(resolved.out, /--accept/);
  });

  test('counts how often one was seen', async (t) => {
    const { path } = await serve(t, { 'ticket.list': () => ({ tickets: [{ ...ticket, occurrences: 1 }, ticket] }) });
    const { out } = await run(['tickets', '--socket', path], { now });
    assert.match(out, /\t1 time, 1m ago\n.*\t3 times, 1m ago$/m);
  });

  test('says of which one it is snoozed, and until when, as long as it is', async (t) => {
    const tickets = [-1, 1].map((hours) => ({ ...ticket, snoozedUntil: now + hours * 3_600_000 }));
    const { path } = await serve(t, {
      'ticket.list': () => ({ tickets }),
      'ticket.get': () => ({ ...ticket, snoozedUntil: now + 3_600_000 }),
    });
    const { out } = await run(['tickets', '--socket', path], { now });
    assert.match(out, /^12\topen\t.*\n12\topen, snoozed until [^\t]+\tshop\t/m);
    assert.match(
      (await run(['ticket', '12', '--socket', path], { now })).out,
      /^ticket 12 on shop is open, snoozed until /,
    );
  });

  test('lists what is wrong, and says so where nothing is', async (t) => {
    const { path } = await serve(t, { 'ticket.list': () => ({ tickets: [ticket] }) });
    const { out, status } = await run(['tickets', '--socket', path], { now });
    assert.match(
      out,
      /^12\topen\tshop\tproduct.price: share of records with it 0.9, usually at least 0.97 \(of 1000\), and 1 more\trule lost\t/m,
    );
    assert.equal(status, 0);
    const { path: healthy } = await serve(t, { 'ticket.list': () => ({ tickets: [] }) });
    assert.equal((await run(['tickets', '--socket', healthy], { now })).err, 'nothing is wrong: no open tickets\n');
  });

  test('shows one with its scrape, crawl, observed and expected values, rules, pages and addresses', async (t) => {
    const { path } = await serve(t, { 'ticket.get': () => ticket });
    const { out } = await run(['ticket', '12', '--socket', path], { now });
    for (const part of [
      'ticket 12 on shop is open',
      'expected records > 100, but it is 3',
      'product.price: .price matched 1000, now 900',
      '42, crawl 7',
      'last good aaa, first bad bbb; `heronry page bbb --diff aaa` compares them',
      'heronry try shop --kept bbb',
      'https://shop.example/1',
      'opened',
    ])
      assert.ok(out.includes(part), `expected ${part} in ${out}`);
  });

  test('shows the addresses of the last good and the first bad page, once where they are the same', async (t) => {
    const shown = async (good: string, bad: string) => {
      const pages = { good: 'aaa', bad: 'bbb', urls: { good, bad } };
      const { path } = await serve(t, { 'ticket.get': () => ({ ...ticket, pages }) });
      return (await run(['ticket', '12', '--socket', path], { now })).out;
    };
    const [page, home] = ['https://shop.example/p/7', 'https://shop.example/home'];
    assert.match(await shown(page, page), /\n +pages .*\n +both of https:\/\/shop\.example\/p\/7\n/);
    assert.match(
      await shown(page, home),
      /\n +last good of https:\/\/shop\.example\/p\/7\n +first bad of https:\/\/shop\.example\/home\n/,
    );
  });

  test('says what shows it: targets, sources of a host, or a source as a whole', async (t) => {
    const shown = async (view: TicketView) => {
      const { path } = await serve(t, { 'ticket.get': () => view });
      return (await run(['ticket', '12', '--socket', path], { now })).out;
    };
    assert.match(await shown({ ...ticket, targets: 15 }), /; 15 targets affected$/m);
    assert.match(await shown({ ...ticket, targets: 0 }), /; the source as a whole$/m);
    const down = { ...ticket, host: 'https://shop.example', sources: ['shop', 'news'], targets: 0 };
    assert.match(await shown(down), /; 2 sources affected$/m);
  });

  test('does what a person wants with one, in the name of that person', async (t) => {
    const calls: unknown[] = [];
    const serving = (name: string) => (params: object) => {
      calls.push([name, params]);
      return ticket;
    };
    const { path } = await serve(t, {
      'ticket.acknowledge': serving('acknowledge'),
      'ticket.assign': serving('assign'),
      'ticket.snooze': serving('snooze'),
      'ticket.accept': serving('accept'),
    });
    const words = ['--acknowledge', '--assign', 'max', '--snooze', '2d', '--accept', '--as', 'ada'];
    assert.equal((await run(['ticket', '12', ...words, '--socket', path], { now })).status, 0);
    assert.deepEqual(calls, [
      ['acknowledge', { ticket: 12, by: 'ada' }],
      ['assign', { ticket: 12, by: 'ada', to: 'max' }],
      ['snooze', { ticket: 12, by: 'ada', forMs: 172_800_000 }],
      ['accept', { ticket: 12, by: 'ada' }],
    ]);
  });

  const lists: readonly (readonly string[])[] = [
    ['--accept'],
    ['shop', '--accept'],
    ['shop', '--accept', '1'],
    ['shop', '--accept', '1', '--dry-run'],
    ['shop', '--dry-run'],
    ['shop', '--as', 'ada'],
  ];
  for (const args of lists)
    test(`lists nothing where it is to do something with a ticket that is not named: ${args.join(' ')}`, async () => {
      const { err, out, status } = await run(['ticket', ...args], { now });
      assert.deepEqual([out, status], ['', 2]);
      assert.match(err, /expected the number of a ticket beside what is to be done with it\n/);
    });

  test('takes a number behind --accept for that of a ticket that is meant', async () => {
    const { err } = await run(['ticket', '--accept', '12'], { now });
    assert.match(err, /done with it: `heronry ticket 12 --accept` takes what ticket 12 shows for usual\n/);
  });

  test('refuses names that are longer than the daemon takes', async () => {
    for (const option of ['--assign', '--as']) {
      const { status, err } = await run(['ticket', '12', option, 'a'.repeat(101)]);
      assert.equal(status, 2);
      assert.match(err, /Expected a name of at most 100 characters, got 101/);
    }
  });

  test('refuses what cannot be meant', async (t) => {
    const { path } = await serve(t, {});
    const refused = await run(['ticket', '12', '--accept', '--resolve', '--socket', path], { now });
    assert.deepEqual([refused.status, refused.err], [2, 'heronry: ticket: expected one of --accept and --resolve\n']);
    assert.equal((await run(['tickets', 'shop', '--accept', '--socket', path], { now })).status, 2);
  });
});

test('what is neither a ticket nor a source is told as that', async (t) => {
  const { path } = await serve(t, {
    'ticket.list': () => {
      throw new ControlError('not_found', 'no source "abc"');
    },
  });
  const { status, err } = await run(['ticket', 'abc', '--socket', path]);
  assert.deepEqual([status, err], [3, 'heronry: no source "abc": expected a source, or the number of a ticket\n']);
});
