import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';

function problemsOf(collect: string): string[] {
  const yaml = `id: register
provider: json
collect: ${collect}
records:
  trial:
    key: id
    fields:
      id: { json: $.id }
      published: { json: $.published, type: date }
      updated: { json: $.updated, type: datetime }
`;
  const parsed = parseSource(yaml, 'register.yaml');
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('the collector of a definition', () => {
  for (const given of [
    "{ since: { record: trial, fields: [published] }, start: '2008-01-01' }",
    "{ since: { record: trial, fields: [published, updated] }, start: '2008-01-01', window: 1, overlap: 3, pause: 2s }",
    "{ since: { record: trial, fields: [updated] }, start: '2008-01-01', query: { range: '{from}/{to}' }, format: dd.MM.yyyy }",
  ])
    test(`may be ${given}`, () => assert.deepEqual(problemsOf(given), []));

  const refused: readonly (readonly [string, RegExp])[] = [
    [
      "{ since: { record: trail, fields: [published] }, start: '2008-01-01' }",
      /^collect\.since\.record: expected a declared record \(trial\), got "trail"; did you mean "trial"\?/,
    ],
    [
      "{ since: { record: trial, fields: [publised] }, start: '2008-01-01' }",
      /^collect\.since\.fields\S*: expected a declared field \(.*\), got "publised"; did you mean "published"\?/,
    ],
    [
      "{ since: { record: trial, fields: [id] }, start: '2008-01-01' }",
      /^collect\.since\.fields\S*: expected a field of type date or datetime, got "id" of type text/,
    ],
    [
      "{ since: { record: trial, fields: [published] }, start: '2008-02-30' }",
      /^collect\.start: expected a day like "2016-03-05"/,
    ],
    [
      "{ since: { record: trial, fields: [published] }, start: '2008-01-01', query: { from: '{from}' } }",
      /^collect\.query: expected "\{from\}" and "\{to\}" somewhere among the values/,
    ],
    ["{ since: { record: trial, fields: [published] }, start: '2008-01-01', window: 0 }", /^collect\.window: /],
    ['{ since: { record: trial, fields: [published] } }', /^collect\.start: missing, expected a day/],
    ["{ start: '2008-01-01' }", /^collect\.since: missing, expected the record/],
  ];
  for (const [given, problem] of refused)
    test(`is refused as ${given}`, () => {
      const problems = problemsOf(given);
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0] ?? '', problem);
    });
});

describe('the program of a definition', () => {
  const problemsIn = (collect: string, more = ''): string[] => {
    const records = 'records: { trial: { key: id, fields: { id: {}, published: { type: date } } } }';
    const parsed = parseSource(`id: register\n${more}\ncollect: ${collect}\n${records}\n`, 'register.yaml');
    return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
  };

  test('is a file in the folder of plug-ins, by itself or after an interpreter', () => {
    const since = 'since: { record: trial, fields: [published] }';
    for (const command of ['[python3, r.py]', '[r.sh, -c, "a b"]', '[node, r.mjs, x]'])
      assert.deepEqual(problemsIn(`{ command: ${command}, ${since} }`, 'secrets: [KEY]'), []);
    assert.deepEqual(problemsIn(`{ ${since} }`, 'plugin: register.ts'), []);
  });

  const refused: readonly (readonly [collect: string, problem: RegExp, more?: string])[] = [
    [
      '{ command: [python3, -c, "import os"] }',
      /^collect\.command: expected the name of a file in the folder of plug-ins/,
    ],
    ['{ command: [../r.sh] }', /^collect\.command: expected the name of a file/],
    ['{ command: [sh, /bin/rm] }', /^collect\.command: expected the name of a file/],
    [
      '{ command: [r.sh], start: 2020-01-01 }',
      /^collect\.start: expected nothing here, as a program finds the records/,
    ],
    ['{ command: [r.sh] }', /^feed: expected nothing here/, 'feed: { by: link }'],
    ['{ command: [r.sh] }', /^collect\.command: expected nothing here, as the plug-in/, 'plugin: register.ts'],
    [
      '{ since: { record: trial, fields: [id] } }',
      /^collect\.since\.fields\S*: expected a field of type date/,
      'plugin: register.ts',
    ],
  ];
  for (const [collect, problem, more] of refused)
    test(`is refused as ${collect} ${more ?? ''}`, () => assert.match(problemsIn(collect, more).join('\n'), problem));
});

describe('a definition that is crawled', () => {
  test('is no list and no collector as well', () => {
    const yaml = `id: shop
crawl: { detail: [/p/] }
feed: { by: page }
records: { item: { key: id, fields: { id: { css: h1 } } } }
`;
    const parsed = parseSource(yaml, 'shop.yaml');
    assert.deepEqual(!parsed.ok && parsed.problems.map(({ path, message }) => [path, message]), [
      ['feed', 'expected none beside "crawl", which finds its pages itself'],
    ]);
  });
});
