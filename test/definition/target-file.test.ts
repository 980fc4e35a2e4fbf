import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTargets } from '../../src/definition/target-file.ts';

const read = (text: string, source?: string, id = 'all') =>
  readTargets(
    text,
    'list.csv',
    { from: 'list.csv', ...(source !== undefined && { source }) },
    { id, labels: [], multiplier: 1, entry: 0 },
  );

describe('targets that stand in a table', () => {
  test('are addresses, or the parameters of their source, each with its line', () => {
    assert.deepEqual(read('source;url\nshop;https://shop.test/1\n\ncrowd;" https://crowd.test/2 "\n'), {
      ok: true,
      value: [
        {
          id: 'all',
          labels: [],
          multiplier: 1,
          entry: 0,
          targets: [
            { source: 'shop', url: 'https://shop.test/1' },
            { source: 'crowd', url: 'https://crowd.test/2' },
          ],
          listed: { file: 'list.csv', lines: [2, 4] },
        },
      ],
    });
    const params = read('\ufeffslug,source\r\n007,"a,b"\r\n', 'shop');
    assert.deepEqual(params.ok && params.value[0]?.targets, [
      { source: 'shop', params: { slug: '007', source: 'a,b' } },
    ]);
  });

  test('are those of one project for each id that the columns make', () => {
    const loaded = read(
      'shop,url\nA,https://a.test/1\nB,https://b.test/\nA,https://a.test/2\n',
      'shops',
      'shop-{shop}',
    );
    assert.deepEqual(
      loaded.ok && loaded.value.map(({ id, targets, listed }) => [id, targets.map(({ url }) => url), listed?.lines]),
      [
        ['shop-A', ['https://a.test/1', 'https://a.test/2'], [2, 4]],
        ['shop-B', ['https://b.test/'], [3]],
      ],
    );
    const wrong = read('sku\na/b\n', 'shop', 'shop-{sku}');
    assert.match(wrong.ok ? '' : (wrong.problems[0]?.message ?? ''), /^id: expected letters, digits.*got "shop-a\/b"/);
    const missing = read('sku\na\n', 'shop', 'shop-{name}');
    assert.match(missing.ok ? '' : (missing.problems[0]?.message ?? ''), /^missing, expected a column "name"/);
  });

  const refused: readonly (readonly [table: string, problem: string, source?: string])[] = [
    ['', '1: expected a first line with the names of the columns, got none'],
    ['url\nhttps://a.test/', '1: missing, expected a column "source", or "source" beside "from" in the project file'],
    ['url,note\nhttps://a.test/,x', '1: expected no further columns beside "url", got "note"', 'shop'],
    ['url\n', '1: expected at least one row below the names of the columns', 'shop'],
    ['url\nhttps://a.test/\nnowhere', '3: url: expected an http or https URL, got "nowhere"', 'shop'],
    ['a,b\n1,2\n3,\n', '3: missing, expected a value for "b"', 'shop'],
    ['a,b\n1,2,3\n', '2: expected 2 columns, got 3', 'shop'],
    ['a\n1\n2\n1\n', '4: expected each target once, got that of line 2 again', 'shop'],
    [
      `a\n${Array.from({ length: 1_001 }, (_, row) => `${row}\n`).join('')}`,
      '1002: expected at most 1000 targets of one project, got more of "all": an id that names a column makes a project of each row',
      'shop',
    ],
    ['a\n"1', '1: expected a CSV table: Quote Not Closed', 'shop'],
  ];
  for (const [table, problem, source] of refused)
    test(`are refused with their line: ${problem}`, () => {
      const found = read(table, source);
      assert.ok(!found.ok);
      const [told = ''] = found.problems.map(({ line, message }) => `${line}: ${message}`);
      assert.ok(told.startsWith(problem), told);
      assert.equal(found.problems.length, 1);
    });
});
