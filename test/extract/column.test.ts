import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import { tryExtract } from '../../src/extract/trial.ts';
import { planOf } from '../../src/provider/plans.ts';
import { bodyOf, fieldOf, planFor, read } from './plan.ts';

/** What the rows of a table, written without end tags of rows and cells, have in columns: missing is undefined, lost is `!`. */
async function columnsOf(
  table: string,
  columns: Readonly<Record<string, unknown>>,
  { each = 'tr', tree = 'browser' }: { readonly each?: string; readonly tree?: 'browser' | 'fast' } = {},
) {
  const fields = Object.entries(columns).map(([name, column]) => fieldOf(name, { from: { column } }));
  const at = fieldOf('at', { page: 'position' });
  const records = [{ type: 'row', key: ['at'], each: { by: 'css', css: each } as const, fields: [at, ...fields] }];
  const input = { body: bodyOf(table), url: 'http://site.test/', contentType: 'text/html' };
  const { trial } = await tryExtract({ ...input, plan: planFor(records, { tree }) });
  return trial.items.map((item) => item.fields.slice(1).map(({ value, lost }) => (lost.length > 0 ? '!' : value)));
}

describe('the cell of a row in a column', () => {
  test('is that under the heading, whatever its case and white space', async () => {
    const table = `<table><thead><tr><th>Name<th>Unit<br>
      price<th>Stock<tbody><tr><td>Pen<td>1.20<td>7<tr><td>Ink<td>4.00</table>`;
    assert.deepEqual(await columnsOf(table, { price: 'unit PRICE ', stock: 'Stock', none: 'Colour' }), [
      [undefined, undefined, undefined],
      ['1.20', '7', undefined],
      ['4.00', undefined, undefined],
    ]);
  });

  test('is found from within the row, from a row beside it, and is searched further', async () => {
    const source = `id: site
records:
  it:
    key: name
    each: td.name
    fields:
      name: .
      price: { from: { column: Price }, css: b, type: number }
      link: { from: { column: Price }, css: a, attr: href }
      below: { from: [{ parent: tr }, next, { column: Name }] }
      both: { from: { column: Price }, fields: { old: s, now: b } }`;
    const parsed = parseSource(source, 'site.yaml');
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const html = `<table><tr><th>Name<th>Price<tr><td class=name>Pen<td><s>2</s> <b>1</b> <a href=/p>p</a></td>
      <tr><td class=name>Ink<td><b>4</b></table>`;
    const outcome = await read(html, planOf(parsed.value));
    assert.deepEqual(outcome.ok ? outcome.extraction.drafts.map(({ fields }) => fields) : outcome, [
      { name: 'Pen', price: 1, link: 'http://site.test/p', below: 'Ink', both: { old: '2', now: '1' } },
      { name: 'Ink', price: 4, both: { now: '4' } },
    ]);
  });

  test('is that of the grid, in which cells span columns and rows', async () => {
    const table = `<table><thead><tr><th rowspan=2>Team<th colspan=2>Home<th colspan=2>Away
      <tr><th>W<th>L<th>W<th>L
      <tbody><tr><td rowspan=2>Red<td>1<td>2<td>3<td>4<tr><td colspan=3>5<td>6<tr><td>Blue<td>7<td>8<td>9
      <tbody><tr><td rowspan=0>Green<td>10<td>11<td>12<td>13<tr><td>14<td rowspan=9>15<td>16<td>17
      <tfoot><tr><th scope=row>All<td>18<td>19<td>20<td>21</table>`;
    const columns = { team: 'Team', home: 'Home', awayW: ['Away', 'W'], l: 'L', homeL: ['home', 'l'] };
    assert.deepEqual(await columnsOf(table, columns, { each: 'tbody tr, tfoot tr' }), [
      ['Red', '1', '3', '!', '2'],
      ['Red', '5', '5', '!', '5'],
      ['Blue', '7', '9', '!', '8'],
      ['Green', '10', '12', '!', '11'],
      ['Green', '14', '16', '!', '15'],
      ['All', '18', '20', '!', '19'],
    ]);
  });

  test('is under the nearest head above the row that has the heading', async () => {
    const table = `<table><tr><td><th>Price<th>Stock<tr><th scope=row>Pen<td>1<td>2<tr><th colspan=3>Paper
      <tr><th>Sheet<td>3<td>4<tr><td><th scope=col>Stock<th scope=col>Price<tr><th>Card<td>5<td>6</table>`;
    assert.deepEqual(await columnsOf(table, { price: 'Price', stock: 'Stock', label: 'Paper' }), [
      [undefined, undefined, undefined],
      ['1', '2', undefined],
      [undefined, undefined, undefined],
      ['3', '4', 'Sheet'],
      [undefined, undefined, null],
      ['6', '5', 'Card'],
    ]);
  });

  test('is under the first row of a table without a head', async () => {
    const table = '<table><tr><td>Name<td>Price<tr><td>Pen<td>1</table>';
    assert.deepEqual(await columnsOf(table, { price: 'Price' }), [[undefined], ['1']]);
  });

  test('is that of its own table alone, within another one or around it', async () => {
    const table = `<table><tr><th>Name<th>Price<tr class=o><td>Pen<td>1 <table><tr><th>Size<th>Price
      <tr class=i><td>S<td>2</table></table><p class=i>none</p>`;
    assert.deepEqual(await columnsOf(table, { name: 'Name', size: 'Size', price: 'Price' }, { each: '.o, .i' }), [
      ['Pen', undefined, '1 SizePrice S2'],
      [undefined, 'S', '2'],
      [undefined, undefined, undefined],
    ]);
  });

  test('is told by its heading where it is explained, and refused where two columns have the heading', async () => {
    const [name, price] = ['Name', 'Price'].map((column) => fieldOf(column, { from: [{ column }], css: 'b' }));
    assert.ok(name && price);
    const plan = planFor([{ type: 'row', key: ['Name'], each: { by: 'css', css: 'tr' }, fields: [name, price] }]);
    const body = bodyOf('<table><tr><th>Name<th>Price<th>Price<tr><td><b>Pen</b><td><b>1</b><td><b>2</b></table>');
    const { outcome, trial } = await tryExtract({ body, url: 'http://site.test/', contentType: 'text/html', plan });
    const refused = { text: 'price', expected: 'one column of this heading' };
    const place = { by: 'css', text: 'b', from: 'column "Name"', alternative: 1, alternatives: 1, matches: 1 };
    assert.deepEqual(trial.items[1]?.fields, [
      { name: 'Name', place, filters: [], value: 'Pen', lost: [] },
      { name: 'Price', place: { ...place, from: 'column "Price"' }, filters: [], lost: [{ path: '', ...refused }] },
    ]);
    assert.deepEqual(outcome.ok ? outcome.extraction.unparsed[1] : outcome, {
      record: 'row',
      key: 'Pen',
      field: 'Price',
      ...refused,
    });
  });

  test('costs no more than the table has cells, however large it says that they are', async () => {
    const wide = `<th>Price</th>${'<th colspan=999999999 rowspan=999999999>Size</th>'.repeat(2_000)}`;
    const rows = '<tr><td>1</td></tr>'.repeat(5_000);
    const startedAt = performance.now();
    const how = { each: 'tr + tr, tbody tr', tree: 'fast' } as const;
    // No cell goes on beyond the head that it is in.
    const inHead = `<table><thead><tr>${wide}</tr></thead><tbody>${rows}</tbody></table>`;
    assert.deepEqual((await columnsOf(inHead, { price: 'Price' }, how))[99], ['1']);
    assert.deepEqual((await columnsOf(`<table><tr>${wide}</tr>${rows}</table>`, { price: 'Price' }, how))[99], ['!']);
    const rowOfAll = `<table><tr><th>Price</th></tr><tr>${'<td>1</td>'.repeat(9_000)}</tr></table>`;
    assert.deepEqual((await columnsOf(rowOfAll, { price: 'Price' }, { ...how, each: 'td' }))[99], ['1']);
    assert.ok(performance.now() - startedAt < 5_000);
  });
});

test('a column without a heading, or beside another way, is refused', () => {
  for (const [from, message] of [
    ['{ column: " " }', /from\.column: expected the text of a heading, got " "/],
    ['{ column: [] }', /from\.column: expected at least 1 element/],
    ['{ column: Price, next: td }', /expected one of next, previous, parent, column, got/],
    ['column', /expected one of next, previous, parent, got "column"/],
  ] as const) {
    const parsed = parseSource(`id: site\nrecords:\n  it: { key: a, fields: { a: { from: ${from} } } }`, 'site.yaml');
    assert.match(parsed.ok ? '' : parsed.problems.map((each) => `${each.path}: ${each.message}`).join('\n'), message);
  }
});
