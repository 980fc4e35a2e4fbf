import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { selectAll } from 'css-select';
import { type AnyNode, type Document, type Element, isTag, type ParentNode } from 'domhandler';
import fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
import { textContent } from '../../src/extract/tree/nodes.ts';
import { parseXml } from '../../src/extract/document/xml.ts';
import { compileXPath as compileOwned, xpathFault, type XPathHit } from '../../src/extract/xpath/xpath.ts';

const page = parseDocument(`<!doctype html><html><body id=top>
  <div class="a b"><p>one</p><p lang=de>two<b>!</b></p><!-- note --></div>
  <div class=c><p>three</p><ul><li>1</li><li>2</li><li>3</li></ul><a href="/x">X</a><a>Y</a></div>
</body></html>`);

function compileXPath(expression: string): (root: ParentNode) => readonly XPathHit[] {
  const find = compileOwned(expression);
  return (root) => find(root).map(({ hit }) => hit);
}

function shown(hits: readonly XPathHit[]): unknown[] {
  return hits.map((hit) => (typeof hit === 'object' ? `<${hit.name}>${textContent(hit).trim()}` : hit));
}

function ask(expression: string, root: ParentNode = page): unknown[] {
  return shown(compileXPath(expression)(root));
}

describe('an XPath', () => {
  for (const [expression, found] of [
    ['//p', ['<p>one', '<p>two!', '<p>three']],
    ['//P', ['<p>one', '<p>two!', '<p>three']],
    ['/html/body/div[2]/p', ['<p>three']],
    ['//li[2]', ['<li>2']],
    ['//li[last()]', ['<li>3']],
    ['//li[position() > 1]', ['<li>2', '<li>3']],
    ['(//p)[3]', ['<p>three']],
    ['//p[1]', ['<p>one', '<p>three']],
    ['//p[@lang="de"]', ['<p>two!']],
    ['//p[not(@lang)]', ['<p>one', '<p>three']],
    ['//a/@href', ['/x']],
    ['//@lang', ['de']],
    ['//p/text()', ['one', 'two', 'three']],
    ['//comment()', [' note ']],
    ["id('top')/div[@class='c']/a", ['<a>X', '<a>Y']],
    ["id('top nothing')//b", ['<b>!']],
    ['//b/ancestor::div/p', ['<p>one', '<p>two!']],
    ['//b/..', ['<p>two!']],
    ['//li[2]/preceding-sibling::li', ['<li>1']],
    ['//li[1]/following-sibling::*[1]', ['<li>2']],
    ['//b/following::p', ['<p>three']],
    ['//ul/preceding::p', ['<p>one', '<p>two!', '<p>three']],
    ['//ul/preceding::p[1]', ['<p>three']],
    ['//li | //b', ['<b>!', '<li>1', '<li>2', '<li>3']],
    ['//div[contains(concat(" ", @class, " "), " b ")]/p[2]', ['<p>two!']],
    ['//p[starts-with(., "t")]', ['<p>two!', '<p>three']],
    ['//p[. = "three"]', ['<p>three']],
    ['//div[p = "one"]/@class', ['a b']],
    ['//div[count(p) = 1]/@class', ['c']],
    ['//li[. >= 2]', ['<li>2', '<li>3']],
    ['//li[. != 2]', ['<li>1', '<li>3']],
    ['//div[li]', []],
    ['count(//li)', [3]],
    ['sum(//li)', [6]],
    ['sum(//li) div count(//li)', [2]],
    ['7 mod 3 + 2 * 2 - -1', [6]],
    ['string((//p)[3])', ['three']],
    ['string(//nothing)', ['']],
    ['number("x")', []],
    ['1 div 0', []],
    ['boolean(//p) and not(//q)', [true]],
    ['normalize-space("  a   b ")', ['a b']],
    ['translate("abc", "ab", "x")', ['xc']],
    ['substring("12345", 1.5, 2.6)', ['234']],
    ['substring-after("a:b:c", ":")', ['b:c']],
    ['substring-before("a:b:c", ":")', ['a']],
    ['string-length("a\u{1f600}")', [2]],
    ['concat("a", 1, true())', ['a1true']],
    ['round(2.5) + floor(-1.5)', [1]],
    ['name(//div/p)', ['p']],
    ['//*[local-name() = "b"]', ['<b>!']],
    ['//div//p[@lang]/b', ['<b>!']],
    ['.//li[1]', ['<li>1']],
    ['html/body/@id', ['top']],
    ['//node()[self::b]', ['<b>!']],
    ['//div/descendant-or-self::div/@class', ['a b', 'c']],
    ['//ul/self::node()/li[3]', ['<li>3']],
    ['//div/child::div or //p = "one"', [true]],
    ['//div[@class="c"]/*[last()]', ['<a>Y']],
  ] as const) {
    test(`${expression} gives ${JSON.stringify(found)} (P20)`, () => {
      assert.deepEqual(ask(expression), found);
    });
  }

  test('is confined to the element that it is asked of, as if that were the document', () => {
    const [, second] = selectAll<AnyNode, Element>('div', page);
    assert.ok(second);
    assert.deepEqual(ask('//p', second), ['<p>three']);
    assert.deepEqual(ask('/div/@class', second), ['c']);
    assert.deepEqual(ask('p', second), ['<p>three']);
    assert.deepEqual(ask('//div/..//b', second), []);
    assert.deepEqual(ask('ancestor::*', second), []);
    assert.deepEqual(ask('preceding::* | preceding-sibling::*', second), []);
    assert.deepEqual(ask("id('top')", second), []);
    assert.deepEqual(ask('count(/)', second), [1]);
  });

  test('sees no document type, and text of CDATA', () => {
    assert.deepEqual(ask('count(/node()[self::html])'), [1]);
    assert.deepEqual(ask('name(/*)'), ['html']);
    const xml = parseXml('<a xmlns:m="urn:m"><m:b n="1"><![CDATA[x < y]]> z</m:b><C/><?pi x?></a>');
    assert.deepEqual(ask('/a/m:b', xml), ['<m:b>x < y z']);
    assert.deepEqual(ask('//m:*/text()', xml), ['x < y z']);
    assert.deepEqual(ask('count(//@*)', xml), [1]);
    assert.deepEqual(ask('//c', xml), []);
    assert.deepEqual(ask('count(//C)', xml), [1]);
    assert.deepEqual(ask('count(//processing-instruction())', xml), [1]);
  });

  for (const [expression, fault] of [
    ['//p[', /it ends where/],
    ['//p]', /unexpected "\]" at character 4/],
    ['//', /it ends where a name/],
    ['//p[foo()]', /no function "foo"/],
    ['//p[ends-with(., "x")]', /no function "ends-with"/],
    ['count("x")', /count\(\) takes a path/],
    ['contains("x")', /contains\(\) takes 2 arguments, got 1/],
    ['//p | 1', /joins paths/],
    ['"a"/b', /only what gives nodes/],
    ['child:::p', /nothing known|unexpected/],
    ['kid::p', /no axis "kid"/],
    ['//p[$x]', /nothing known begins with "\$x\]"/],
    [`${'('.repeat(200)}1${')'.repeat(200)}`, /nested deeper/],
    ['', /it ends/],
  ] as const) {
    test(`${expression.slice(0, 30)} is refused: ${fault.source} (P19)`, () => {
      assert.match(xpathFault(expression) ?? '', fault);
      assert.throws(() => compileXPath(expression));
    });
  }

  test('finds what CSS finds, in the same order', () => {
    const name = fc.constantFrom('a', 'b', 'i');
    const tree = fc.letrec<{ node: string; leaf: string }>((tie) => ({
      leaf: fc.constantFrom('x', 'y', '<!--c-->'),
      node: fc
        .tuple(
          name,
          fc.constantFrom('', ' k', ' k=v'),
          fc.array(fc.oneof({ maxDepth: 6 }, tie('leaf'), tie('node')), { maxLength: 4 }),
        )
        .map(([tag, attr, children]) => `<${tag}${attr}>${children.join('')}</${tag}>`),
    })).node;
    const pairs = [
      ['a', '//a'],
      ['a b', '//a//b'],
      ['a > b', '//a/b'],
      ['a, i', '//a | //i'],
      ['[k]', '//*[@k]'],
      ['b[k=v]', '//b[@k="v"]'],
      ['a + b', '//a/following-sibling::*[1][self::b]'],
      ['a ~ b', '//a/following-sibling::b'],
      ['a:first-child', '//*[1][self::a]'],
      ['b:last-child', '//*[last()][self::b]'],
      [':not(a)', '//*[not(self::a)]'],
      ['b:has(i)', '//b[.//i]'],
      ['a b i', '//i[ancestor::b[ancestor::a]]'],
    ] as const;
    fc.assert(
      fc.property(tree, fc.constantFrom(...pairs), (html, [css, xpath]) => {
        const root: Document = parseXml(html);
        assert.deepEqual(compileXPath(xpath)(root), selectAll<AnyNode, Element>(css, root), html);
      }),
    );
  });

  test('takes its time on hostile pages, but no stack', () => {
    const depth = 50_000;
    const deep = parseXml(`${'<b>'.repeat(depth)}x${'</b>'.repeat(depth)}`);
    assert.deepEqual(ask('count(//b)', deep), [depth]);
    assert.deepEqual(ask('string(/)', deep), ['x']);
    assert.equal(compileXPath('//b[not(b)]')(deep).length, 1);
    const wide = parseXml(`<r>${'<a h="1"/>'.repeat(100_000)}</r>`);
    assert.equal(compileXPath('//a/@h')(wide).length, 100_000);
    assert.equal(
      compileXPath('//a | //r')(wide).filter((hit) => typeof hit === 'object' && isTag(hit)).length,
      100_001,
    );
  });
});
