import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import { ControlError } from '../../src/control/error.ts';
import type { Handlers, Params } from '../../src/control/methods.ts';
import type { TicketView } from '../../src/view/ticket.ts';
import { serveHttp } from '../http/server.ts';
import { assertHarmless, hostile, hostileAddress } from './hostile.ts';

const [good, bad, picture] = ['G'.repeat(22), 'B'.repeat(22), 'P'.repeat(22)];

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
      observed: 0,
      expected: { low: 0.97 },
      of: 120,
    },
  ],
  cause: {
    kind: 'rule_lost',
    says: ['The rule of price matches nothing.'],
    rules: [{ record: 'product', field: 'price', place: '.price', before: 120, after: 0 }],
  },
  repairs: {
    version: 'v1',
    proposals: [
      {
        changes: [{ record: 'product', field: 'price', before: '.price', to: { css: '.cost' } }],
        kept: [{ record: 'product', field: 'price', kept: 118, of: 120, other: 2 }],
        isSafe: true,
      },
    ],
  },
  openedAt: 1_000,
  lastAt: 2_000,
  occurrences: 3,
  targets: 1,
  samples: ['https://shop.example/1'],
  pages: { good, bad, screenshots: { good: picture } },
  projects: ['lamp'],
  reopened: 0,
  log: [{ at: 1_500, what: 'snoozed', by: 'ada' }],
};

const pageText: Record<string, string> = {
  [good]: '<html><p>Lamp</p><b class="price">9.99 EUR</b></html>',
  [bad]: '<html><p>Lamp</p><b class="cost">9.99 EUR</b></html>',
};

/** Handlers that have one ticket, with its pages. */
function having(view: TicketView, more: Partial<Handlers> = {}): Partial<Handlers> {
  return {
    'ticket.get': () => view,
    'scrape.list': () => ({ scrapes: [] }),
    'page.get': ({ digest }) => {
      const text = pageText[digest];
      if (text === undefined) throw new ControlError('not_found', `page ${digest}: it is not kept`);
      return kept(digest, text, 'changed', 'text/html; charset=utf-8');
    },
    ...more,
  };
}

function kept(digest: string, text: string, why: 'changed' | 'screenshot', contentType: string) {
  const page = { digest, target: 1, scrape: 7, version: 'v1', url: 'https://shop.example/1', status: 200, contentType };
  return { page: { ...page, observedAt: 1_000, why }, body: Buffer.from(text).toString('base64') };
}

describe('the page of tickets', () => {
  test('tickets are listed by state and source, with links to the states', async (t) => {
    const asked: Params<'ticket.list'>[] = [];
    const { ask } = await serveHttp(t, {
      'ticket.list': (params) => {
        asked.push(params);
        return { tickets: [ticket], next: 12 };
      },
    });
    const { text } = await ask('/tickets?state=all&source=shop');
    assert.deepEqual(asked, [{ state: 'all', source: 'shop', limit: 50 }]);
    assert.match(text, /href="tickets\/12"/);
    assert.match(text, /href="tickets\?state=open&amp;source=shop"/);
    assert.match(text, /href="tickets\?state=all&amp;source=shop&amp;before=12" rel="next"/);
  });

  test('where nothing is wrong, the page says so', async (t) => {
    const { ask } = await serveHttp(t, { 'ticket.list': () => ({ tickets: [] }) });
    assert.match((await ask('/tickets')).text, /Nothing is wrong: no ticket is open/);
  });
});

describe('the page of one ticket', () => {
  test('it tells what is unusual, the evidence for its cause, and what the rules matched before and now', async (t) => {
    const { ask } = await serveHttp(t, having(ticket));
    const { status, text } = await ask('/tickets/12');
    assert.equal(status, 200);
    assert.match(text, /product\.price: share of records with it 0, usually at least 0\.97 \(of 120\)/);
    assert.match(text, /The rule of price matches nothing\./);
    assert.match(text, /<td class="number">120<\/td>\s*<td class="number">0<\/td>/);
    assert.match(text, /snoozed<\/bdi>/);
  });

  test('of one about worker processes, it names these, and asks for no scrapes of a source', async (t) => {
    const silent: TicketView = {
      ...{ ticket: 13, state: 'open', sources: [], openedAt: 1_000, lastAt: 2_000, occurrences: 1, targets: 0 },
      ...{ samples: [], projects: [], reopened: 0, log: [] },
      symptoms: [
        {
          ...{ kind: 'workers_offline', worker: 'crow 4711', measure: 'silentMs' },
          ...{ observed: 130_000, expected: { high: 120_000 } },
        },
      ],
    };
    const { ask } = await serveHttp(t, {
      'ticket.get': () => silent,
      'ticket.list': () => ({ tickets: [silent] }),
      'scrape.list': () => assert.fail('it is of no source'),
    });
    const $ = load((await ask('/tickets/13')).text);
    assert.match($('main').text(), /crow 4711: not heard of for 2m/);
    assert.doesNotMatch($('main').text(), /the source as a whole|Cause|Latest scrapes/);
    assert.match(load((await ask('/tickets')).text)('main').text(), /worker processes/);
  });

  test('its last good and first bad page stand side by side, with the words that differ', async (t) => {
    const { ask } = await serveHttp(t, having(ticket));
    const { text } = await ask('/tickets/12');
    assert.match(text, /<del><bdi>class=&quot;price&quot;&gt;9\.99<\/bdi><\/del>/);
    assert.match(text, /<ins><bdi>class=&quot;cost&quot;&gt;9\.99<\/bdi><\/ins>/);
    assert.match(text, new RegExp(`href="sources/shop/try\\?page=${bad}"`));
    assert.match(text, new RegExp(`<img[^>]*src="pictures/${picture}"`));
  });

  test('of lines that are long, what stands around their first difference is compared', async (t) => {
    const script = (word: string) =>
      `<script>${'same '.repeat(1_000)}before ${word} behind${' same'.repeat(1_000)}</script>`;
    const { ask } = await serveHttp(
      t,
      having(ticket, {
        'page.get': ({ digest }) => kept(digest, script(digest === good ? 'brass' : 'steel'), 'changed', 'text/html'),
      }),
    );
    const $ = load((await ask('/tickets/12')).text);
    const cells = $('table.sides tr.differs td').toArray();
    assert.match($(cells[0]).html() ?? '', /before<\/bdi> *<del><bdi>brass<\/bdi><\/del> *<bdi>behind/);
    assert.match($(cells[1]).html() ?? '', /before<\/bdi> *<ins><bdi>steel<\/bdi><\/ins> *<bdi>behind/);
    for (const cell of cells) assert.ok($(cell).text().length < 700);
  });

  test('lines in which hundreds of words differ are told as replaced', async (t) => {
    const line = (word: string) => `<p>${Array.from({ length: 110 }, (_, at) => word + (at % 10)).join(' s ')}</p>`;
    const { ask } = await serveHttp(
      t,
      having(ticket, {
        'page.get': ({ digest }) => kept(digest, line(digest === good ? 'a' : 'b'), 'changed', 'text/html'),
      }),
    );
    const $ = load((await ask('/tickets/12')).text);
    assert.equal($('table.sides tr.differs del').length, 1);
    assert.equal($('table.sides tr.differs ins').length, 1);
  });

  test('a page that has expired is told as such, and the rest is shown', async (t) => {
    const { ask } = await serveHttp(t, having({ ...ticket, pages: { good: 'X'.repeat(22), bad } }));
    const { status, text } = await ask('/tickets/12');
    assert.equal(status, 200);
    assert.match(text, /page X{22}: it is not kept/);
    assert.match(text, /status 200/);
  });

  test('what a repair would write is shown before the form that makes it', async (t) => {
    const asked: Params<'ticket.repair'>[] = [];
    const { ask } = await serveHttp(
      t,
      having(ticket, {
        'ticket.repair': (params) => {
          asked.push(params);
          return { ticket, file: 'sources/shop.yaml', diff: '  fields:\n-   css: .price\n+   css: .cost', targets: 0 };
        },
      }),
    );
    const first = (await ask('/tickets/12')).text;
    assert.match(first, /href="tickets\/12\?repair=1#repairs"/);
    assert.doesNotMatch(first, /act\/ticket\.repair/);
    assert.deepEqual(asked, []);
    const { text } = await ask('/tickets/12?repair=1');
    assert.deepEqual(asked, [{ ticket: 12, proposal: 1, dryRun: true, by: 'admin' }]);
    assert.match(text, /<del>\s*<bdi>- +css: \.price<\/bdi>\s*<\/del>/);
    assert.match(text, /act\/ticket\.repair/);
  });

  test('a repair that cannot be made says why', async (t) => {
    const { ask } = await serveHttp(
      t,
      having(ticket, {
        'ticket.repair': () => {
          throw new ControlError('conflict', 'the definition has changed since');
        },
      }),
    );
    const { text } = await ask('/tickets/12?repair=1');
    assert.match(text, /It cannot be made: <bdi>the definition has changed since/);
    assert.doesNotMatch(text, /act\/ticket\.repair/);
  });

  test('a token that is limited to other sources sees why it may make no repair, and the rest of the ticket', async (t) => {
    const author = { id: 'author', label: 'Author', role: 'author', sources: ['elsewhere'] } as const;
    const options = { callerOf: () => author, subjects: { labelsOf: () => [], sourcesOf: () => ['shop'] } };
    const { ask } = await serveHttp(t, having(ticket), options);
    const { status, text } = await ask('/tickets/12?repair=1');
    assert.equal(status, 200);
    assert.match(text, /It cannot be made: <bdi>ticket\.repair: the token is limited to the sources elsewhere/);
  });

  test('its log names who did something by the label of the viewer', async (t) => {
    const { ask } = await serveHttp(t, having(ticket));
    const { text } = await ask('/tickets/12');
    for (const method of ['acknowledge', 'assign', 'snooze', 'accept', 'resolve'])
      assert.match(text, new RegExp(`action="act/ticket\\.${method}"[^]*?name="by" value="admin"`), method);
    assert.doesNotMatch((await ask('/tickets/12', { token: 'read' })).text, /act\/ticket/);
  });

  test('a resolved ticket offers nothing to do', async (t) => {
    const { ask } = await serveHttp(
      t,
      having({ ...ticket, state: 'resolved', resolvedAt: 3_000, resolvedBy: 'healthy' }),
    );
    assert.doesNotMatch((await ask('/tickets/12?repair=1')).text, /act\/ticket/);
  });

  test('what a site, a definition or a person wrote is text', async (t) => {
    const { ask } = await serveHttp(
      t,
      having(
        {
          ...ticket,
          assignee: hostile.slice(0, 100),
          cause: {
            kind: 'unknown',
            says: [hostile],
            rules: [{ record: hostile, place: hostile, before: 1, after: 0 }],
          },
          samples: [hostile, hostileAddress],
          log: [{ at: 1, what: hostile, by: hostile }],
          repairs: {
            version: hostile,
            proposals: [
              {
                changes: [{ record: hostile, field: hostile, before: hostile, to: { css: hostile } }],
                kept: [],
                isSafe: false,
              },
            ],
          },
        },
        {
          'page.get': ({ digest }) =>
            kept(digest, `${hostile}\n<p>${digest}</p>${hostile}${digest}`, 'changed', 'text/html; charset=utf-8'),
          'ticket.repair': () => ({ ticket, file: hostile, diff: `- ${hostile}`, targets: 0 }),
        },
      ),
    );
    const { status, text } = await ask('/tickets/12?repair=1');
    assert.equal(status, 200);
    assertHarmless(text);
  });
});

describe('the pictures of kept pages', () => {
  const pictures: Partial<Handlers> = {
    'page.get': ({ digest }) =>
      digest === picture
        ? kept(digest, 'JPEG', 'screenshot', 'image/jpeg')
        : kept(digest, '<script>alert(1)</script>', 'changed', 'text/html'),
  };

  test('a picture is sent as what it is, and may do nothing where it is opened by itself', async (t) => {
    const { ask } = await serveHttp(t, pictures);
    const { status, headers, text } = await ask(`/pictures/${picture}`);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'image/jpeg');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; sandbox/);
    assert.equal(text, 'JPEG');
  });

  test('nothing else that is kept is sent as it came', async (t) => {
    const { ask } = await serveHttp(t, pictures);
    const { status, text } = await ask(`/pictures/${bad}`);
    assert.equal(status, 404);
    assert.ok(!text.includes('<script>alert'));
  });
});
