import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stringify } from 'yaml';
import { fileFieldsOf } from '../../src/definition/file-fields.ts';
import { parseSource } from '../../src/definition/load.ts';
import { Fields, type Rule } from '../../src/definition/rule.ts';

/** What a definition with these fields is told. */
function problems(fields: string, rest = 'provider: html'): string[] {
  const text = `id: site\n${rest}\nrecords:\n  page:\n    key: k\n    fields:\n      k: h1\n      ${fields}`;
  const parsed = parseSource(text, 'site.yaml');
  return parsed.ok ? [] : parsed.problems.map(({ line, path, message }) => `${line} ${path}: ${message}`);
}

function rule(given: unknown, name = 'x'): Rule | undefined {
  return Fields.parse({ [name]: given })['x'];
}

const text = { required: false, type: 'text' } as const;

describe('the short form of a rule', () => {
  for (const [short, place] of [
    ['div#content h1', { css: 'div#content h1' }],
    ['div img @src', { css: 'div img', attr: 'src' }],
    ['@href', { attr: 'href' }],
    ['.', { take: 'text' }],
    ['//a/@href', { xpath: '//a/@href' }],
    ['//a @href', { xpath: '//a', attr: 'href' }],
    ['id("x")', { xpath: 'id("x")' }],
    ['(//li)[3]', { xpath: '(//li)[3]' }],
    ['(//a)[last()] @href', { xpath: '(//a)[last()]', attr: 'href' }],
    ['.//a/@href', { xpath: './/a/@href' }],
    ['./b', { xpath: './b' }],
    ['normalize-space(//h1)', { xpath: 'normalize-space(//h1)' }],
    ['$.name', { json: '$.name' }],
  ] as const) {
    test(`${short} is ${JSON.stringify(place)} (P20)`, () => assert.deepEqual(rule(short), { ...place, ...text }));
  }

  test('is of every match where the name ends in [] (P4)', () => {
    assert.deepEqual(rule('img @src', 'x[]'), {
      css: 'img',
      attr: 'src',
      required: false,
      type: 'array',
      of: { type: 'text' },
    });
    assert.deepEqual(rule({ css: 'b', type: 'money', currency: 'EUR', required: true }, 'x[]'), {
      css: 'b',
      required: true,
      type: 'array',
      of: { type: 'money', currency: 'EUR' },
    });
  });

  test('may be a list, of which a later one is preferred (P6)', () => {
    assert.deepEqual(rule(['h1', { css: 'h2', attr: 'title' }]), {
      ...text,
      any: [{ css: 'h2', attr: 'title' }, { css: 'h1' }],
    });
  });

  test('may be nested', () => {
    assert.deepEqual(rule({ css: 'li', fields: { t: '.' } }, 'x[]'), {
      css: 'li',
      required: false,
      type: 'array',
      of: { type: 'object', fields: { t: { take: 'text', ...text } } },
    });
  });
});

describe('a rule is refused where it stands (P1, P19)', () => {
  for (const [what, fields, told] of [
    ['a selector that does not compile', 'x: "a:frist"', /^8 .*fields\.x: expected a CSS selector, got "a:frist"/],
    ['a selector with a mark of no meaning', 'x: "h1 @href b"', /got "h1 @href b": "@" does not belong there/],
    ['a selector with a dot too many', 'x: a..b', /got "a\.\.b": "\." does not belong there/],
    [
      'an XPath that leaves what is searched',
      'x: { xpath: "./following-sibling::dd[1] | b" }',
      /^8 .*xpath: expected an XPath, got .*nothing is outside .* \(following-sibling\); "from" leads to what is beside/,
    ],
    ['an XPath that does not compile', 'x: "//a["', /^8 .*fields\.x: expected an XPath, got "\/\/a\["/],
    [
      'a selector as jQuery takes it',
      'x: $(".price")',
      /^8 .*fields\.x: expected a CSS selector, got "\$\("\.price"\)": leave out "\$\(…\)"$/,
    ],
    ['a path that does not compile', 'x: { json: "$[", in: ld+json }', /^8 .*fields\.x\.json: expected a JSON path/],
    [
      'a pattern that does not compile',
      'x:\n        css: b\n        filters:\n          - trim\n          - regex: "("',
      /^12 .*fields\.x\.filters\[1\]\.regex: expected a regular expression/,
    ],
    [
      'an unknown filter',
      'x: { css: b, filters: [trimm] }',
      /^8 .*filters\[0\]: unknown filter "trimm"; did you mean "trim"/,
    ],
    ['an unknown type', 'x: { css: b, type: txt }', /^8 .*x\.type: expected one of text, .*got "txt"/],
    [
      'an unknown way to take',
      'x: { css: b, take: inner }',
      /^8 .*x\.take: expected one of text, spaced, lines, html, outer, markdown, got "inner"/,
    ],
    [
      'a format of a date',
      'x: { css: b, type: date, formats: ["%Q"] }',
      /^8 .*x\.formats\[0\]: expected a date format, got "%Q"/,
    ],
    ['a place that is too long', `x: "${'('.repeat(1_001)}"`, /^8 .*x: expected at most 1000 characters, got "\(+…$/],
    ['two places', 'x: { css: b, meta: "og:x" }', /^8 .*x\.meta: expected one place, got css and meta/],
    [
      'no place',
      'x: { type: money }',
      /^8 .*x: missing a place, expected one of css, xpath, json, meta, const, page, any, or take, attr or from for the present element/,
    ],
    [
      'an attribute and a way to take',
      'x: { css: b, attr: a, take: html }',
      /^8 .*x\.take: expected "attr" or "take", got both/,
    ],
    ['a place in JSON without a path', 'x: { css: b, in: ld+json }', /^8 .*x\.in: expected a "json" path beside it/],
    [
      'a key that a rule does not have',
      'x: { css: b, fitlers: [trim] }',
      /^8 .*x\.fitlers: unknown key "fitlers"; did you mean "filters"/,
    ],
    [
      'a key of another tool',
      'x: { css: b, re: "[0-9]+" }',
      /^8 .*x\.re: unknown key "re": write `filters: \[\{ regex: "…" \}\]`/,
    ],
    ['a call of another tool', 'x: { css: b, getall: true }', /^8 .*x\.getall: unknown key "getall": leave it out, as/],
    [
      'a nested rule',
      'x:\n        css: li\n        fields:\n          y: "a["',
      /^11 .*x\.fields\.y: expected a CSS selector/,
    ],
    [
      'an alternative',
      'x:\n        any:\n          - h1\n          - css: "h2 >"',
      /^11 .*x\.any\[1\]\.css: expected a CSS selector/,
    ],
    ['a rule of a list', 'x:\n        - h1\n        - "h2 >"', /^10 .*x\[1\]: expected a CSS selector/],
    [
      'rules of two types in a list',
      'x: [{ css: a, type: money }, { css: b }]',
      /^8 .*x\[0\]: expected rules of one type in a list, got money and text/,
    ],
    [
      'a result that is no field',
      'x: { css: li, fields: { a: b }, result: c }',
      /^8 .*x\.result: expected fields of the object \(a\), got "c"/,
    ],
    ['one field in two forms', 'x: a\n      "x[]": b', /^9 .*fields\.x\[\]: expected each field once/],
    ['JSON that is nowhere in a page', 'x: $.a', /^8 .*fields\.x: expected a CSS selector or an XPath, or "in"/],
  ] as const) {
    test(`with ${what}`, () => {
      const found = problems(fields);
      assert.ok(
        found.some((each) => told.test(each)),
        found.join('\n'),
      );
    });
  }

  test('with a place that its document cannot have', () => {
    assert.match(
      problems('x: $.a', 'provider: json').join('\n'),
      /^7 .*fields\.k: expected a JSON path, got a CSS selector, "h1"/,
    );
    assert.match(problems('x: { meta: "og:x" }', 'provider: xml').join('\n'), /^8 .*only HTML pages have/);
    assert.deepEqual(problems('x: //b', 'provider: xml'), []);
  });
});

describe('a record', () => {
  const record = (key: string, field: string): string[] =>
    problems('', 'provider: html').length === 0 ? keyProblems(key, field) : ['the page itself'];
  const keyProblems = (key: string, field: string): string[] => {
    const parsed = parseSource(
      `id: site\nrecords:\n  page:\n    key: ${key}\n    fields: { k: ${field} }`,
      'site.yaml',
    );
    return parsed.ok ? [] : parsed.problems.map(({ line, message }) => `${line}: ${message}`);
  };

  test('needs a key of its fields, whatever their types (O15)', () => {
    for (const field of ['h1', '{ css: b, type: json }', '{ css: b, fields: { a: b } }'])
      for (const key of ['k', '[k]', 'content']) assert.deepEqual(record(key, field), []);
    assert.match(record('other', 'h1').join(), /^4: expected a declared field \(k\), got "other"/);
    assert.match(record('[k, k]', 'h1').join(), /^4: expected each field once, got/);
    assert.match(record('[]', 'h1').join(), /^4: expected at least 1 element, got \[\]/);
  });

  test('may not be missing, but in a feed', () => {
    const told = (text: string) => parseSource(`id: site\n${text}`, 'site.yaml');
    assert.equal(told('provider: rss').ok, true);
    const missing = told('provider: html');
    assert.ok(!missing.ok);
    assert.deepEqual(
      missing.problems.map(({ message }) => message),
      ['missing, expected at least one record'],
    );
  });
});

test('the field of a file is refused with the checks of other types, too large a size and what is no media type', () => {
  for (const [options, problem] of [
    ['min: 1', /"min"/],
    ['maxSize: 33MiB', /maxSize: expected a size of 32 MiB at most, got "33MiB"$/],
    ['accept: [images]', /accept\[0\]: expected a media type like "image\/\*", got "images"$/],
    ['ephemeral: soon', /ephemeral: /],
  ] as const)
    assert.match(problems(`photo: { css: img, type: file, ${options} }`).join('\n'), problem);
});

test('the fields of files are found in lists and objects, as far as these give them', () => {
  const parsed = parseSource(
    stringify({
      id: 'site',
      records: {
        post: {
          key: 'k',
          fields: {
            k: 'h1',
            'images[]': { css: 'img', type: 'file', accept: ['image/*'] },
            'media[]': { css: 'p', fields: { media_url: { css: 'img', type: 'file' }, type: 'b' } },
            cover: { css: 'p', fields: { at: { css: 'img', type: 'file' } }, result: 'at' },
          },
        },
      },
      publish: { posts: { type: 'a.b', ephemeral: true, images: 'media' } },
    }),
    'site.yaml',
  );
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const maxBytes = 20 * 1024 ** 2;
  assert.deepEqual(fileFieldsOf(parsed.value), {
    post: [
      { path: ['images'], maxBytes, accept: ['image/*'] },
      { path: ['media', 'media_url'], maxBytes, isEphemeral: true },
      { path: ['cover'], maxBytes },
    ],
  });
});
