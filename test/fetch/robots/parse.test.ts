import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decidingRule, longestCrawlDelayMs, parseRobots, ruleText } from '../../../src/fetch/robots/parse.ts';
import { isAllowed } from './is-allowed.ts';

function allows(text: string | Uint8Array, path: string, productToken = 'Heronry'): boolean {
  return isAllowed(parseRobots(text, productToken), new URL(path, 'https://example.com'));
}

/** Whether one rule that disallows `pattern` is about `path`. */
function hits(pattern: string, path: string): boolean {
  return !allows(`user-agent: *\ndisallow: ${pattern}`, path);
}

describe('the examples of RFC 9309', () => {
  const simple = `
            User-Agent: *
            Disallow: *.gif$
            Disallow: /example/
            Allow: /publications/

            User-Agent: foobot
            Disallow:/
            Allow:/example/page.html
            Allow:/example/allowed.gif

            User-Agent: barbot
            User-Agent: bazbot
            Disallow: /example/page.html

            User-Agent: quxbot

            EOF
`;
  const table: readonly (readonly [string, string, boolean])[] = [
    ['anybot', '/publications/', true],
    ['anybot', '/example/', false],
    ['anybot', '/picture.gif', false],
    ['anybot', '/picture.gif?size=2', true],
    ['anybot', '/publications/a.gif', true],
    ['anybot', '/other', true],
    ['foobot', '/', false],
    ['foobot', '/example/page.html', true],
    ['foobot', '/example/allowed.gif', true],
    ['foobot', '/publications/', false],
    ['barbot', '/example/page.html', false],
    ['barbot', '/example/', true],
    ['bazbot', '/example/page.html', false],
    ['bazbot', '/a.gif', true],
    ['quxbot', '/example/page.html', true],
    ['quxbot', '/a.gif', true],
  ];
  for (const [bot, path, expected] of table) {
    test(`5.1: ${bot} ${expected ? 'may' : 'may not'} ask ${path}`, () => {
      assert.equal(allows(simple, path, bot), expected);
    });
  }

  test('5.2: the longest match counts', () => {
    const text = 'User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n';
    assert.equal(allows(text, '/example/page/disallowed.gif', 'foobot'), false);
    assert.equal(allows(text, '/example/page/other.gif', 'foobot'), true);
  });

  test('2.2.1: two groups for one product token are one', () => {
    const text =
      'user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz\n\nuser-agent: *\ndisallow: /all';
    for (const path of ['/foo', '/bar', '/baz']) assert.equal(allows(text, path, 'ExampleBot'), false);
    assert.equal(allows(text, '/all', 'ExampleBot'), true);
  });

  test('2.2.1: where no group is ours, the one for everybody counts', () => {
    const text = 'user-agent: *\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: BazBot\ndisallow: /baz';
    assert.equal(allows(text, '/foo', 'ExampleBot'), false);
    assert.equal(allows(text, '/baz', 'ExampleBot'), true);
  });

  const spellings: readonly (readonly [string, string])[] = [
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz'],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar'],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84'],
    ['/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84'],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz'],
  ];
  for (const [one, other] of spellings) {
    test(`2.2.2: ${one} and ${other} match, whichever is the pattern`, () => {
      assert.ok(hits(one, other));
      assert.ok(hits(other, one));
      assert.ok(hits(one, one));
    });
  }

  const special: readonly (readonly [string, string, boolean])[] = [
    ['/path/file-with-a-%2A.html', '/path/file-with-a-*.html', true],
    ['/path/file-with-a-%2A.html', '/path/file-with-a-star.html', false],
    ['/path/foo-%24', '/path/foo-$', true],
    ['/this/path/exactly$', '/this/path/exactly', true],
    ['/this/path/exactly$', '/this/path/exactly/not', false],
    ['/this/*/exactly', '/this/path/and/that/exactly/so', true],
    ['/ # comment in line', '/anything', true],
  ];
  for (const [pattern, path, expected] of special) {
    test(`2.2.3: ${pattern} ${expected ? 'is' : 'is not'} about ${path}`, () => {
      assert.equal(hits(pattern, path), expected);
    });
  }

  test('2.2.4: other records end no group', () => {
    const text = 'user-agent: ours\nsitemap: https://example.com/map.xml\nhost: x\nuser-agent: theirs\ndisallow: /a';
    assert.equal(allows(text, '/a', 'ours'), false);
  });
});

describe('a pattern', () => {
  const table: readonly (readonly [string, string, boolean])[] = [
    ['/fish', '/fish', true],
    ['/fish', '/fishheads/yummy.html', true],
    ['/fish', '/Fish.asp', false],
    ['/fish', '/catfish', false],
    ['/fish*', '/fish.php?id=3', true],
    ['/fish/', '/fish', false],
    ['/*.php', '/folder/any.php.file', true],
    ['/*.php', '/windows.PHP', false],
    ['/*.php$', '/file.php?parameters', false],
    ['/*.php$', '/file.php/x.php', true],
    ['/fish*.php', '/fishheads/catfish.php?p', true],
    ['/a**b***c', '/a-b-c', true],
    ['/a$b', '/a$b', true],
    ['/a$b', '/a', false],
    ['/$', '/', true],
    ['/$', '/index.html', false],
    ['/*$', '/index.html', true],
    ['$', '/', false],
    ['*', '/', true],
    ['fish', '/fish', false],
    ['/a*bab$', '/abab', true],
    ['/a*bab$', '/ab', false],
    ['/ab*b$', '/ab', false],
    ['/a%2Fb', '/a/b', false],
    ['/a/b', '/a%2fb', false],
    ['/a%2fb', '/a%2Fb', true],
    ['/a%3cd.html', '/a%3Cd.html', true],
    ['/~joe', '/%7Ejoe', true],
    ['/a%3Ab', '/a:b', true],
    ['/a%26b', '/a&b', false],
    ['/100%', '/100%25', true],
    ['/a b', '/a%20b', true],
    ['/?a%3Db=', '/?a=b', false],
    ["/?q='x'", "/?q='x'", true],
    ['/*?', '/page?x', true],
    ['/*?', '/page%3Fx', false],
    ['/*=http:/', '/go?to=http%3A%2F%2Fa', true],
    ['/*83', '/%E3%83%84', false],
    ['/%e3', '/%E3%83%84', true],
  ];
  for (const [pattern, path, expected] of table) {
    test(`${pattern} ${expected ? 'is' : 'is not'} about ${path}`, () => assert.equal(hits(pattern, path), expected));
  }

  test('longer than another in octets is more specific, however it is spelt', () => {
    const text = 'user-agent: *\nallow: /%61%62\ndisallow: /abc\n';
    assert.equal(allows(text, '/abc'), false);
    assert.equal(allows(text, '/abd'), true);
    assert.equal(allows('user-agent: *\nallow: /page\ndisallow: /*.htm', '/page.htm'), false);
    assert.equal(allows('user-agent: *\nallow: /$\ndisallow: /', '/'), true);
    assert.equal(allows('user-agent: *\nallow: /$\ndisallow: /', '/page.htm'), false);
  });

  test('that is both allowed and disallowed is allowed, in any order and spelling', () => {
    assert.equal(allows('user-agent: *\nallow: /a\ndisallow: /%61', '/a'), true);
    assert.equal(allows('user-agent: *\ndisallow: /a\nallow: /%61', '/a'), true);
    assert.equal(allows('user-agent: *\ndisallow: /a*\nallow: /*a', '/a'), true);
  });

  test('is spelt out with the line that decides', () => {
    const rules = parseRobots('user-agent: *\nDISALLOW : /a%2Fb/*/%7e/ツ $', 'x');
    const rule = decidingRule(rules, new URL('https://a.test/a%2Fb/c/~/ツ%20'));
    assert.equal(rule && ruleText(rule), 'Disallow: /a%2Fb/*/~/%E3%83%84%20$');
  });

  test('says nothing of robots.txt itself', () => {
    assert.equal(hits('/', '/robots.txt'), false);
    assert.equal(hits('/', '/robots.txt?x'), true);
    assert.equal(hits('/', '/a/robots.txt'), true);
  });
});

describe('a robots.txt', () => {
  const disallow = 'user-agent: *\ndisallow: /a\n';
  const variants: readonly (readonly [string, string | Uint8Array])[] = [
    ['with a byte order mark', `\uFEFF${disallow}`],
    ['with CR LF', disallow.replaceAll('\n', '\r\n')],
    ['with CR alone', disallow.replaceAll('\n', '\r')],
    ['without a last line end', disallow.trimEnd()],
    ['with blanks and tabs around everything', ' \tUser-Agent\t : \t*  \n\n  DISALLOW  :  /a \t \n'],
    ['without any blanks', 'user-agent:*\ndisallow:/a'],
    ['with comments everywhere', '#x\nuser-agent: *#all\n#\ndisallow: /a#b: c\n'],
    ['with lines that nobody knows', `<html>\n:\n::\nfoo\nfoo: bar\nuser-agent: *\n\u0000: x\ndisallow\ndisallow: /a`],
    ['with text after the star', 'user-agent: * everybody\ndisallow: /a'],
    ['as bytes', Buffer.from(disallow)],
  ];
  for (const [what, text] of variants) {
    test(`${what} is understood`, () => {
      assert.equal(allows(text, '/a'), false);
      assert.equal(allows(text, '/b'), true);
    });
  }

  test('with an empty Disallow allows everything', () => {
    assert.equal(allows('user-agent: *\ndisallow:\n', '/a'), true);
    assert.equal(allows('user-agent: *\ndisallow: # all\n', '/a'), true);
  });

  test('whose empty Disallow ends a group begins another after it', () => {
    assert.equal(allows('user-agent: heronry\ndisallow:\nuser-agent: *\ndisallow: /', '/a'), true);
  });

  test('with nothing in it, or with rules before any group, allows everything', () => {
    for (const text of ['', '\n\n', 'disallow: /a', 'disallow: /a\nuser-agent: other\ndisallow: /a']) {
      assert.equal(allows(text, '/a'), true);
    }
  });

  test('means us in any case and with a version, but not by a part of our name', () => {
    for (const name of ['heronry', 'HERONRY', 'Heronry/2.1', 'heronry 2', 'Heronry*']) {
      assert.equal(allows(`user-agent: ${name}\ndisallow: /a`, '/a', 'Heronry/1.0'), false, name);
    }
    for (const name of ['Heron', 'Heronry-News', 'my Heronry', '*heronry', '']) {
      assert.equal(allows(`user-agent: ${name}\ndisallow: /a`, '/a'), true, name);
    }
  });

  test('keeps octets that are no UTF-8', () => {
    const latin1 = Buffer.from('user-agent: *\ndisallow: /caf\xe9\ndisallow: /voil\xa0', 'latin1');
    assert.equal(allows(latin1, '/caf%E9'), false);
    assert.equal(allows(latin1, '/voil%A0'), false);
    assert.equal(allows(latin1, '/voil'), true);
  });

  test('may ask for a pause, in seconds and parts of them', () => {
    const delay = (text: string) => parseRobots(`user-agent: *\ncrawl-delay: ${text}`, 'x').crawlDelayMs;
    assert.equal(delay('10'), 10_000);
    assert.equal(delay('0.5'), 500);
    assert.equal(delay('.25 # s'), 250);
    for (const odd of ['', '-1', 'ten', '1e9', '10s', '.', '1.2.3', '9'.repeat(400)])
      assert.equal(delay(odd), undefined);
  });

  test('that asks for a longer pause than is kept says so', () => {
    const rules = parseRobots('user-agent: *\ncrawl-delay: 86400', 'x');
    assert.equal(rules.crawlDelayMs, longestCrawlDelayMs);
    assert.deepEqual(rules.limitsMet, ['crawl-delay']);
  });

  test('asks a pause of those it addresses, the longest it names', () => {
    const text =
      'user-agent: a\ncrawl-delay: 5\ndisallow: /x\nuser-agent: *\ncrawl-delay: 9\ncrawl-delay: 2\ndisallow:';
    assert.equal(parseRobots(text, 'a').crawlDelayMs, 5_000);
    assert.equal(parseRobots(text, 'b').crawlDelayMs, 9_000);
  });
});
