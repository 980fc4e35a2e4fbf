import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { selectorFault } from '../../../src/extract/tree/selector.ts';
import { xpathFault } from '../../../src/extract/xpath/xpath.ts';

describe('what people of other tools type first is refused with what to write instead', () => {
  for (const [selector, instead] of [
    ['a::attr(href)', /^"::attr\(href\)" is no CSS: write the attribute behind the selector, as in "a @href"$/],
    ['img::attr("data-src")', /as in "a @data-src"$/],
    ['h1::text', /^"::text" is no CSS: leave it out, as a place gives its text$/],
    ['li:eq(2)', /^":eq\(2\)" is no CSS: write the XPath "\(\/\/…\)\[3\]", or :nth-child\(3\)$/],
    ['li:nth(0)', /^":nth\(0\)" is no CSS: write the XPath "\(\/\/…\)\[1\]"/],
    ['a@href', /^"@href" is no CSS: write the attribute behind the selector, as in "a @href"$/],
    ["response.css('li a').get()", /^"response\.css\('li a'\)" is no CSS: write what it looks for alone: "li a"$/],
    ['li:first', /leave it out, as a field takes the first match/],
    ['li:last a', /:last-child$/],
    ['tr:even', /:nth-child\(odd\)/],
    ['tr:gt(1)', /position\(\)/],
    ['p:has-text("a")', /:contains\("…"\)$/],
    ['p:-soup-contains("a")', /:contains\("…"\)$/],
    ['li:visible', /leave it out, as a page that is read hides nothing$/],
    ['a::href', /^"::href" is no CSS: write the attribute behind the selector, as in "a @href"$/],
    ['a/@href', /^"a\/@href" is no CSS: write an XPath, which begins with "\/" or "\.\/"$/],
    ['div//a', /write an XPath, which begins with "\/" or "\.\/"$/],
    ['css=li', /^"css=" is no CSS: leave it out$/],
    ['text=Sold out', /^"text=" is no CSS: write :contains\("…"\)$/],
    ['> a', /: from the present element lead XPaths such as "\.\/a"$/],
    [':scope > a', /: from the present element lead XPaths such as "\.\/a"$/],
  ] as const)
    test(`${selector} as CSS`, () => assert.match(selectorFault(selector) ?? '', instead));

  for (const [expression, instead] of [
    [
      '//a[re:test(@href, "x")]',
      /there is no function "re:test" in XPath 1\.0: use contains\(\) or starts-with\(\), or a "regex" filter$/,
    ],
    ['//a[matches(., "x")]', /or a "regex" filter$/],
    ['lower-case(//a)', /"lower" filter/],
    ['//a[ends-with(@href, "x")]', /string-length\(\)/],
    ['foo(//a)', /there is no function "foo" in XPath 1\.0$/],
  ] as const)
    test(`${expression} as XPath`, () => assert.match(xpathFault(expression) ?? '', instead));

  for (const selector of [
    'p:contains("::text")',
    'p:first-child',
    'p:last-of-type',
    'input:text',
    'a[href="x@y"]',
    String.raw`a\@b`,
    'a[title=":first"]',
    'a[href*="/p/"]',
    'a[href^="text=x"]',
    'p:contains("a/b")',
    'li:first-of-type',
  ])
    test(`${selector} stays what it is`, () => assert.equal(selectorFault(selector), undefined));
});

describe('a selector that is not whole is told by what is wrong with it', () => {
  for (const [selector, fault] of [
    ['h1[', 'its "[" is never closed'],
    ['a[href', 'its "[" is never closed'],
    ['a:not(b', 'its "(" is never closed'],
    ['a[]', 'a name is missing before "]"'],
    ['p:nope', 'there is no ":nope"'],
    ['a[title="(["]', undefined],
  ] as const)
    test(selector, () => assert.equal(selectorFault(selector), fault));
});
