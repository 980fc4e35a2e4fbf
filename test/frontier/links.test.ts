import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { areMany, type CrawlRules, findPlaces, findPlacesInTurns, linkRules } from '../../src/frontier/links.ts';

const start = 'http://shop.test/';
const rules = (given: Partial<CrawlRules> = {}) => linkRules({ detail: ['/p/\\d+'], files: 'skip', ...given }, [start]);

describe('a link', () => {
  const table: readonly (readonly [what: string, given: Partial<CrawlRules>, url: string, judgement: object])[] = [
    [
      'is a page with records where a pattern is found anywhere in the URL (P2)',
      {},
      'http://shop.test/x/p/1/y?z',
      { kind: 'detail' },
    ],
    [
      'is a page with records where a pattern is found in the query (P2)',
      { detail: ['sku='] },
      'http://shop.test/?sku=1',
      { kind: 'detail' },
    ],
    ['is only looked through for links elsewhere (P3)', {}, 'http://shop.test/p/one', { kind: 'listing' }],
    [
      'is followed only if it is among those (O45)',
      { follow: ['/c/'] },
      'http://shop.test/c/lamps',
      { kind: 'listing' },
    ],
    [
      'is not followed if it is not among those (O45)',
      { follow: ['/c/'] },
      'http://shop.test/about',
      { refused: 'not_followed' },
    ],
    ['to a page with records need not be among those', { follow: ['/c/'] }, 'http://shop.test/p/1', { kind: 'detail' }],
    ['is denied, page with records or not', { deny: ['print'] }, 'http://shop.test/p/1?print', { refused: 'denied' }],
    [
      'to another domain is not followed (O47)',
      {},
      'http://other.test/p/1',
      { refused: 'offsite', domain: 'other.test' },
    ],
    ['to a subdomain is followed (O47)', {}, 'http://de.shop.test/', { kind: 'listing' }],
    [
      'to a domain that only ends alike is not followed (O47)',
      {},
      'http://badshop.test/',
      { refused: 'offsite', domain: 'badshop.test' },
    ],
    ['to the domain above is not followed', {}, 'http://test/', { refused: 'offsite', domain: 'test' }],
    ['to another port is followed', {}, 'https://shop.test:8443/', { kind: 'listing' }],
    ['to a host with a dot at its end is followed', {}, 'http://shop.test./', { kind: 'listing' }],
    [
      'follows the domains that are named in place of those of the start',
      { domains: ['Other.test'] },
      start,
      { refused: 'offsite', domain: 'shop.test' },
    ],
    ['to a named domain is followed', { domains: ['Other.test'] }, 'http://a.other.test/', { kind: 'listing' }],
    ['to an archive is not followed (O58)', {}, 'http://shop.test/a.zip', { refused: 'file' }],
    [
      'to a picture is not followed, page with records or not (O58)',
      {},
      'http://shop.test/p/1/a.JPG?x',
      { refused: 'file' },
    ],
    ['to a document is not followed (O58)', {}, 'http://shop.test/a.tar.gz', { refused: 'file' }],
    [
      'to a file is followed where that is wanted (O58)',
      { files: 'follow' },
      'http://shop.test/a.pdf',
      { kind: 'listing' },
    ],
    ['to a page with an extension is followed (O58)', {}, 'http://shop.test/a.html', { kind: 'listing' }],
    ['whose query ends like a file is followed', {}, 'http://shop.test/?a=b.zip', { kind: 'listing' }],
    [
      'of 2,083 characters, the most that a definition takes too, is followed',
      {},
      'http://shop.test/'.padEnd(2_083, 'a'),
      { kind: 'listing' },
    ],
    ['of one more is not followed', {}, 'http://shop.test/'.padEnd(2_084, 'a'), { refused: 'too_long' }],
    ['that is too long is not followed', {}, `http://shop.test/${'a'.repeat(2_100)}`, { refused: 'too_long' }],
    ['that is no address of a page is not followed', {}, 'mailto:me@shop.test', { refused: 'scheme' }],
  ];
  for (const [what, given, url, judgement] of table)
    test(what, () => assert.deepEqual(rules(given).judge(url), judgement));
});

test('knows which addresses lie on no domain of the crawl', () => {
  const { isOffsite } = rules();
  assert.deepEqual(['http://shop.test/a.zip', 'http://x.shop.test/', 'http://badshop.test/', 'x'].map(isOffsite), [
    false,
    false,
    true,
    true,
  ]);
});

describe('the links of a page', () => {
  test('are its places in page order, each once, one deeper (O46)', () => {
    const links = [
      'http://shop.test/b?y=1&x=2#top',
      'http://shop.test/p/1?utm_source=b',
      'http://shop.test/b?x=2&y=1',
      'http://shop.test/p/1',
    ];
    assert.deepEqual(findPlaces(rules(), links, { depth: 3, maxDepth: 4 }).places, [
      { url: 'http://shop.test/b?x=2&y=1', kind: 'listing', depth: 4 },
      { url: 'http://shop.test/p/1', kind: 'detail', depth: 4 },
    ]);
  });

  test('are counted by why they are refused, and other domains by name (O47)', () => {
    const links = [
      'http://a.test/1',
      'http://a.test/2',
      'http://b.test/',
      'http://shop.test/x.zip',
      'mailto:a@b.test',
      'http://a.test/1#x',
    ];
    const { places, refused, offsite } = findPlaces(rules(), links, { depth: 0, maxDepth: 4 });
    assert.deepEqual(places, []);
    assert.deepEqual(refused, { offsite: 3, file: 1, scheme: 1 });
    assert.deepEqual(offsite, [
      { domain: 'a.test', links: 2 },
      { domain: 'b.test', links: 1 },
    ]);
  });

  test('name 50 other domains at most, and count the others', () => {
    const links = Array.from({ length: 200 }, (_, index) => `http://h${index}.test/`);
    const { refused, offsite } = findPlaces(rules(), links, { depth: 0, maxDepth: 4 });
    assert.deepEqual([refused.offsite, offsite.length], [200, 50]);
  });

  test('lead nowhere from a page that is as deep as is allowed, and are counted', () => {
    const links = ['http://shop.test/a', 'http://shop.test/p/1', 'http://other.test/'];
    const { places, tooDeep, refused } = findPlaces(rules(), links, { depth: 4, maxDepth: 4 });
    assert.deepEqual([places, tooDeep, refused], [[], 2, { offsite: 1 }]);
  });

  test('that are very long or hostile are judged in linear time', () => {
    const judge = rules({ detail: ['(a+)+$', '(a|aa)+b'] }).judge;
    assert.deepEqual(judge(`http://shop.test/${'a'.repeat(2_000)}!`), { kind: 'listing' });
  });
});

test('very many links of a page are judged in turns, and come to the same', async () => {
  const links = Array.from(
    { length: 5_000 },
    (_, index) => `http://${index % 9 === 0 ? 'other' : 'shop'}.test/${index % 3 === 0 ? 'p' : 'c'}/${index}`,
  );
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    running = setImmediate(turn);
  };
  let running = setImmediate(turn);
  const found = await findPlacesInTurns(rules(), links, { depth: 1, maxDepth: 5 });
  clearImmediate(running);
  assert.ok(turns >= 4, `${turns}`);
  assert.deepEqual(found, findPlaces(rules(), links, { depth: 1, maxDepth: 5 }));
  assert.deepEqual(
    [areMany(links), areMany(links.slice(0, 100)), areMany(['x'.repeat(1_000_000)])],
    [true, false, true],
  );
});
