import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extracted, fieldOf, planFor } from './plan.ts';

/** What the first element of a class, which is all that the page has, is as Markdown. */
async function markdown(html: string, tree: 'fast' | 'browser' = 'fast'): Promise<unknown> {
  const fields = [fieldOf('at', { page: 'position' }), fieldOf('it', { css: '.it', take: 'markdown' })];
  const plan = planFor([{ type: 'thing', key: ['at'], fields }], { tree });
  return (await extracted(html, plan)).drafts[0]?.fields['it'];
}

async function within(html: string): Promise<unknown> {
  return markdown(`<div class=it>${html}</div>`);
}

describe('Markdown', () => {
  const cases: readonly (readonly [what: string, html: string, expected: string])[] = [
    [
      'headings and paragraphs',
      '<h1>A <small>b</small></h1>text<p>more<h3>C #</h3>',
      '# A b\n\ntext\n\nmore\n\n### C \\#',
    ],
    ['line breaks, of which two part paragraphs', 'a<br>b<br><br>c<br>', 'a\\\nb\n\nc'],
    [
      'emphasis, whose white space is beside it',
      'a<b> b </b>c <i>d</i><i>e</i> <s>f</s><em></em>',
      'a **b** c *de* ~~f~~',
    ],
    ['emphasis that only a reference keeps apart', 'a<b>"b"</b>c', '&#97;**"b"**&#99;'],
    [
      'links and images, absolute',
      '<a href="/a (b)?c&amp;d">x <img src=y.png alt="[z]"></a> <a name=n>n</a>',
      '[x ![\\[z\\]](http://site.test/list/y.png)](http://site.test/a%20%28b%29?c&d) n',
    ],
    [
      'a link around blocks, in each of them',
      '<a href="/x"><h2>A</h2><p>b</a>',
      '## [A](http://site.test/x)\n\n[b](http://site.test/x)',
    ],
    [
      'text of addresses that run or hold data',
      '<a href="javascript:x()">a</a><img src="data:image/png;base64,xx" alt="b">',
      'ab',
    ],
    [
      'lists within lists',
      '<ul><li>a<ul><li>b<ol><li>c<li>d</ol></ul><li><p>e</p><p>f</p></ul>',
      '- a\n  - b\n    1. c\n    2. d\n- e\n\n  f',
    ],
    [
      'lists that are numbered from elsewhere, or beside each other',
      '<ol start=9><li>a<li>b</ol><ul><li>c</ul><ul><li>d</ul>',
      '9. a\n10. b\n\n- c\n\n+ d',
    ],
    [
      'quotations',
      '<blockquote><p>a<blockquote>b</blockquote><ul><li>c</ul></blockquote>d',
      '> a\n>\n> > b\n>\n> - c\n\nd',
    ],
    [
      'code, as it is written',
      '<code>a  `b`</code> <pre class="language-ts">\nx  = `1`;\n\n  ```<br>y</pre>',
      '`` a `b` ``\n\n````ts\nx  = `1`;\n\n  ```\ny\n````',
    ],
    [
      'tables, of which the first row is the head',
      '<table><caption>T</caption><tr><th>A<th>B|<tr><td rowspan=2><b>1</b><td>2<br>3<tr><td>4</table>',
      'T\n\n| A | B\\| |\n| --- | --- |\n| **1** | 2 3 |\n|  | 4 |',
    ],
    ['what tables that lay out a page hold', '<table><tr><td><h2>A</h2><td><ul><li>b</ul></table>', '## A\n\n- b'],
    [
      'rules, and nothing of scripts, styles and comments',
      'a<hr><script>b</script><style>c</style><!-- d -->e',
      'a\n\n___\n\ne',
    ],
    [
      'text that would be markup, escaped',
      '*a* _b_ c_d `e` [f](g) &lt;b> ~h~ &amp;lt; R&amp;D i\\',
      '\\*a\\* \\_b\\_ c_d \\`e\\` \\[f\\](g) \\<b> \\~h\\~ \\&lt; R&D i\\\\',
    ],
    [
      'text that would be markup at the beginning of a line',
      '<p># a<p>- b<p>+ c<p>1. d<p>> e<p>---<p>-5 #f 3.5',
      '\\# a\n\n\\- b\n\n\\+ c\n\n1\\. d\n\n\\> e\n\n\\---\n\n-5 #f 3.5',
    ],
  ];
  for (const [what, html, expected] of cases)
    test(`has ${what}`, async () => assert.equal(await within(html), expected));

  test('is of what an element holds, but of a list, a table and code as a whole', async () => {
    assert.equal(await markdown('<h1 class=it>a <b>b</b></h1>'), 'a **b**');
    assert.equal(await markdown('<ol class=it><li>a</ol>'), '1. a');
    assert.equal(await markdown('<pre class=it>a</pre>', 'browser'), '```\na\n```');
    assert.equal(await markdown('<table class=it><tr><td>a<td>b</table>', 'browser'), '| a | b |\n| --- | --- |');
  });

  test('has a hundred levels of lists and quotations; what is deeper stands there', async () => {
    const deep = (count: number): string => '<ul><li>a'.repeat(count);
    const lines = String(await within(deep(120))).split('\n');
    assert.equal(lines[99], `${'  '.repeat(99)}- a`);
    assert.equal(lines.at(-1), `${'  '.repeat(100)}a`);
  });
});
