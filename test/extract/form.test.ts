import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extract } from '../../src/extract/extract.ts';
import type { FormPlan } from '../../src/extract/form.ts';
import { fillForm } from '../../src/provider/fill-form.ts';

let plans = 0;

/** What a browser would send by a form of a page. */
async function sentBy(html: string, values: Readonly<Record<string, string>> = {}, form: Partial<FormPlan> = {}) {
  plans += 1;
  const outcome = await extract({
    body: new TextEncoder().encode(html).buffer,
    url: 'https://site.test/a/page?x=1',
    contentType: 'text/html',
    plan: {
      id: `form-${plans}`,
      document: 'html',
      tree: 'fast',
      records: [],
      mayBeEmpty: true,
      form: { values: [], ...form },
    },
  });
  assert.ok(outcome.ok);
  const { form: found } = outcome.extraction;
  assert.ok(found !== undefined);
  if (!found.ok) return found.message;
  const filled = fillForm(found, values);
  return filled.ok
    ? [filled.method, filled.url, filled.body && 'text' in filled.body ? filled.body.text : '']
    : filled.message;
}

/** The fields of a form that is posted. */
async function fieldsOf(controls: string, values?: Readonly<Record<string, string>>, form?: Partial<FormPlan>) {
  const sent = await sentBy(`<form method=post>${controls}</form>`, values, form);
  return typeof sent === 'string' ? sent : sent[2];
}

describe('a form', () => {
  const controls: readonly (readonly [what: string, html: string, sent: string])[] = [
    [
      'texts, hidden and not, in the order of the page',
      '<input name=b value="1 é"><input type=hidden name=a value=2><input name=c>',
      'b=1+%C3%A9&a=2&c=',
    ],
    [
      'boxes that are checked',
      '<input type=checkbox name=a checked><input type=checkbox name=a value=x><input type=radio name=r value=1><input type=radio name=r value=2 checked>',
      'a=on&r=2',
    ],
    [
      'what a list has selected, and the first where it has nothing selected',
      '<select name=a><option>one <b>1</b><option value=2></select><select name=b><option value=1><option selected value=2></select>',
      'a=one+1&b=2',
    ],
    [
      'all that a list of several has selected',
      '<select name=a multiple><option selected>1<option>2<option selected>3</select>',
      'a=1&a=3',
    ],
    [
      'no option that is disabled',
      '<select name=a><option selected disabled value="">Choose<option value=1></select>',
      '',
    ],
    ['the text of an area, without its first line end', '<textarea name=a>\nx\ny</textarea>', 'a=x%0D%0Ay'],
    [
      'its first button alone',
      '<button type=button name=z>z</button><button name=a value=1>A</button><input type=submit name=b value=2>',
      'a=1',
    ],
    [
      'nothing that is disabled, itself or by a group',
      '<input name=a disabled><fieldset disabled><legend><input name=b></legend><input name=c></fieldset>',
      'b=',
    ],
    ['nothing without a name', '<input value=1><input name="" value=2>', ''],
  ];
  for (const [what, html, sent] of controls)
    test(`sends ${what}`, async () => assert.equal(await fieldsOf(html), sent));

  test('sends what is given in place of all that the controls of a name hold', async () => {
    const boxes =
      '<input type=radio name=r value=1 checked><input type=radio name=r value=2><select name=s><option>x<option>y</select><input name=t value=old>';
    assert.equal(await fieldsOf(boxes, { r: '2', s: 'y', t: 'a\nb' }), 'r=2&s=y&t=a%0D%0Ab');
    assert.match(String(await fieldsOf(boxes, { r: '3' })), /"r" offers, one of 1, 2, got "3"/);
  });

  test('sends a control that stands elsewhere and names it, and none of another form', async () => {
    const html = '<form id=f method=post><input name=a></form><input name=b form=f><form id=g><input name=c></form>';
    assert.deepEqual(await sentBy(html, {}, { css: '#f' }), ['POST', 'https://site.test/a/page?x=1', 'a=&b=']);
  });

  test('goes where it says, or its button, from the base of the page', async () => {
    const html =
      '<base href="/b/"><form action="to?old=1"><input name=q value=1><button formaction="//site.test/other" formmethod=post>';
    assert.deepEqual(await sentBy(html), ['POST', 'https://site.test/other', 'q=1']);
    assert.deepEqual(await sentBy(html, {}, { button: false }), ['GET', 'https://site.test/b/to?q=1', '']);
    assert.match(String(await sentBy('<form action="javascript:go()"></form>')), /leads to no address/);
  });

  test('is written in parts where it says so', async () => {
    const sent = await sentBy('<form method=post enctype="multipart/form-data"><input name=\'a"b\' value=1></form>');
    assert.match(
      String(sent[2]),
      /^--(form-\w+)\r\nContent-Disposition: form-data; name="a%22b"\r\n\r\n1\r\n--\1--\r\n$/,
    );
  });

  test('must be chosen where a page has several', async () => {
    const html = '<form name=one><input name=a><input type=hidden name=t value=secret></form><form></form>';
    assert.equal(await sentBy(html), 'expected one form, got form[name="one"] (a, t), form 2 of 2 (no control)');
    assert.match(String(await sentBy('<p>')), /got a page without a form/);
    assert.match(
      String(await fieldsOf('<button name=go>', {}, { button: '.x' })),
      /the button was not found: the form has go/,
    );
  });
});
