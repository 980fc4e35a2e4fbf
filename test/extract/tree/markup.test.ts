import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AnyNode, Document, hasChildren, isDocument, isTag } from 'domhandler';
import { parseDocument } from 'htmlparser2';
import { listPage, productPage } from '../../../bench/pages.ts';
import { parseMarkup } from '../../../src/extract/tree/markup.ts';
import { elementsIn, walk } from '../../../src/extract/tree/nodes.ts';
import { TreeBounds } from '../../../src/extract/tree/parts.ts';

function parse(text: string): Document {
  const { root } = parseMarkup(text, new TreeBounds('html'));
  const elements: AnyNode[] = [];
  walk(
    root,
    (node) => {
      if (isTag(node)) elements.push(node);
      return true;
    },
    () => {},
  );
  assert.deepEqual(
    Array.from(elementsIn(root), (element, at) => element === elements[at]),
    elements.map(() => true),
  );
  return root;
}

/** All that there is in a tree, with what is wrong in the ways between its nodes. */
function outline(root: Document): readonly unknown[] {
  const lines: unknown[] = [];
  const add = (node: AnyNode, parent: AnyNode | null, before: AnyNode | null): void => {
    const { type } = node;
    const made = isDocument(node) ? Document : node.constructor;
    const isLinked = node.parent === parent && node.prev === before && (before === null || before.next === node);
    const own = isTag(node) ? [node.name, ...Object.entries(node.attribs)] : [];
    lines.push([type, made.name, isLinked, 'data' in node ? node.data : '', 'name' in node ? node.name : '', ...own]);
    let last: AnyNode | null = null;
    for (const child of hasChildren(node) ? node.children : []) {
      add(child, node, last);
      last = child;
    }
    lines.push(last === null || last.next === null ? 'end' : 'no end');
  };
  add(root, null, null);
  return lines;
}

function assertSame(text: string): void {
  assert.deepEqual(outline(parse(text)), outline(parseDocument(text)), JSON.stringify(text));
}

describe('the tree of a page is that of htmlparser2, its elements listed in page order,', () => {
  for (const [what, ...pages] of [
    ['a usual page', productPage(1, 5).html, productPage(2, 50).html, listPage(['/a', '/b'], '/c')],
    ['text alone', '', 'a', 'a < b && c > d', 'a &amp; b&amp c &notit; &#38; &#x26; &# &#x &unknown; &'],
    [
      'elements that end each other',
      '<p>a<p>b<ul><li>a<li>b</ul>c<div>d</p>e</b></div>',
      '<table><tr><td>a<tr><td>b</table>',
    ],
    ['end tags without a start', '</p></br></a></title></svg>b', '<b>a</i>c</b>'],
    [
      'attributes',
      '<a b c=d e="&lt;&ampx" f=\'"\' A=1 a=2 /g =h i= j>k',
      '<a b=c/><a b=&amp;/d><a __proto__=b constructor=c>',
    ],
    [
      'elements that hold no markup',
      '<script>a<b>&amp;</script ><style><!--</STYLE>',
      '<title>a &amp; <&amp; </titl></title>',
      '<textarea>&amp;<b></textarea><xmp><b></xmp><tmp><b></xmp>',
    ],
    ['foreign elements', '<svg><a/><desc><b/></desc><a/></svg><a/>b', '<svg/><a/>b', '<math><title/></math>'],
    [
      'comments',
      '<!----><!--><!---><!--a--b-->c<!--d--->',
      '<![CDATA[a]]]>b<![CDATAa>',
      '</1><//a></ b ></>',
      '<!a><!><?b c?><!DOCTYPE html>',
    ],
    [
      'pages that end anywhere',
      '<a',
      '<scr',
      '<script',
      '<script>a',
      '<a /',
      '</a ',
      '</',
      '<',
      '<!',
      '<!-',
      '<!--a',
      '<![CDATA[a',
      '<![CDA',
      '<?a',
      '<title>a &amp',
      'a<b c="d',
      '<p>a<div /',
    ],
  ] as const) {
    test(`of ${what}`, () => {
      for (const page of pages) assertSame(page);
    });
  }

  test('of whatever stands behind each other', () => {
    const parts = [
      '< > / </ <! <!- <!-- --> -- - <? ?> <![CDATA[ ]]> ] = " \' & &amp; &amp &notit; &#38; &#x26 &# &#x &lt ; &no &ampx &amp= a B',
      '<p> </p> <br> </br> <br/> <svg> <svg/> </svg> <math> <title> </title> <title </title </titl <TITLE> <script> </script> <script',
      '<style> </STYLE <textarea> </textarea> <xmp> </xmp> <tmp> <xitle> <s <t <x <li> <ul> </ul> <td> <tr> <table> </table> <div <div>',
      '</div> </a> <desc> </desc> <foreignObject> <option> <select> <input> </> </1> <1> é€😀 \u2028 \u212a \u0130 \0 \x1c \x0f \u00a0',
      '<a href="x&amp;y"> <a b=&lt> <data-of-a-long-name> </data-of-a-long-name>',
    ].flatMap((line) => line.split(' '));
    const all = [...parts, ' ', '\n', '\t', '\f', '</ ', '< a', '<a b = c d>', '<A HREF=Q Href=R>'];
    let state = 1;
    const draw = (below: number): number => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) % below;
    };
    for (let page = 0; page < 10_000; page += 1)
      assertSame(Array.from({ length: draw(16) }, () => all[draw(all.length)] ?? '').join(''));
  });
});

test('a page says whether it has a base', () => {
  const isSaid = (text: string): boolean => parseMarkup(text, new TreeBounds('html')).hasBase;
  assert.ok(isSaid('<p><BASE href=/a>'));
  assert.ok(!isSaid('<!-- <base href=/a> --><b>'));
});
