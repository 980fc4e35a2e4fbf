import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compileCondition, type Condition, type ExpressionScope } from '../../src/expression/compile.ts';

const scope: ExpressionScope = {
  zone: 'Europe/Berlin',
  fields: {
    title: 'text',
    status: 'text',
    stock: 'integer',
    rating: 'number',
    live: 'boolean',
    price: 'money',
    shipping: 'money',
    ends: 'datetime',
    published: 'datetime',
    day: 'date',
    tags: { list: 'text' },
    weight: 'quantity',
    pack: 'quantity',
    data: 'json',
  },
};

const now = Date.parse('2026-03-14T12:00:00Z');

const values = {
  title: 'Solar lamp – 2nd edition',
  status: 'ended',
  stock: 0,
  rating: 4.5,
  live: false,
  price: { amount: '19.99', currency: 'EUR' },
  ends: '2026-03-14T11:59:59.000Z',
  published: '2026-03-13T12:00:00.000Z',
  day: '2026-03-14',
  tags: ['solar', 'lamp'],
  weight: { amount: 1.5, unit: 'kg' },
  pack: { amount: 330, unit: 'ml', count: 6 },
};

function compiled(text: string): Condition {
  const found = compileCondition(text, scope);
  assert.ok(found.ok, found.ok ? '' : found.message);
  return found.condition;
}

function refusal(text: string): string {
  const found = compileCondition(text, scope);
  assert.ok(!found.ok, `${text} is not refused`);
  return found.message;
}

describe('a condition', () => {
  for (const [text, expected] of [
    ['status == "ended"', true],
    ['status in ["closed", "ended"]', true],
    ['!(status in ["closed"]) && stock == 0', true],
    ['stock > 0 || live', false],
    ['rating >= 4.5 && rating < 4.51', true],
    ['live ? stock > 5 : stock < 5', true],
    ['-1 < stock', true],
    ['weight.amount == 1.5 && weight.unit == "kg" && weight.count == 1', true],
    ['pack.amount * pack.count >= 1980', true],
    ['title.contains("lamp") && title.startsWith("Solar") && !title.endsWith("lamp")', true],
    ['title.lowerAscii().contains("solar")', true],
    ['size(title) == 24 && title.size() > 5 && size(tags) == 2', true],
    ['"solar" in tags', true],
    ['like(title, "(?i)LAMP.*edition$")', true],
    ['like(title, "^lamp")', false],
    ['ends < now', true],
    ['now > ends + duration("1s")', false],
    ['now >= ends + duration("1s")', true],
    ['now - published <= duration("24h")', true],
    ['now - published < duration("1d")', false],
    ['ends < timestamp("2026-03-14T13:00:00+01:00")', true],
    ['has(stock) && has(ends) && !has(shipping)', true],
  ] as const) {
    test(`${text} is ${String(expected)}`, () => {
      assert.equal(compiled(text).holds(values, now), expected);
    });
  }

  test('calculates with decimals as they are written', () => {
    const price = (amount: string) => ({ price: { amount, currency: 'EUR' } });
    const cheap = compiled('price.amount < 0.3');
    assert.equal(cheap.holds(price('0.30'), now), false);
    assert.equal(cheap.holds(price('0.29'), now), true);
    assert.equal(compiled('price.amount == 0.1 + 0.2').holds(price('0.30'), now), true);
    assert.equal(compiled('price.amount * 3 == 59.97').holds(price('19.99'), now), true);
    assert.equal(compiled('1 / rating == 1 / 3').holds({ rating: 3 }, now), true);
    assert.equal(compiled('price.amount <= 9007199254740993').holds(price('9007199254740993.01'), now), false);
  });

  test('compares amounts of one currency only', () => {
    const both = (one: string, other: string) => ({
      price: { amount: '5.00', currency: one },
      shipping: { amount: '4.99', currency: other },
    });
    const dearer = compiled('price > shipping');
    assert.equal(dearer.holds(both('EUR', 'EUR'), now), true);
    assert.equal(dearer.holds(both('EUR', 'USD'), now), undefined);
    assert.equal(compiled('price.currency == "EUR" && price.amount >= 5').holds(both('EUR', 'USD'), now), true);
  });

  test('compares a date with the day of an instant in its zone: the day is over when it has ended there', () => {
    const over = compiled('day < now');
    const endsAt = Date.parse('2026-03-14T23:00:00Z');
    assert.equal(over.holds(values, endsAt - 1), false);
    assert.equal(over.holds(values, endsAt), true);
    assert.equal(compiled('day <= now').holds(values, Date.parse('2026-03-13T22:59:59.999Z')), false);
    assert.equal(compiled('day <= now').holds(values, Date.parse('2026-03-13T23:00:00Z')), true);
    assert.equal(compiled('day == now').holds(values, now), true);
    assert.equal(compiled('day < date("2026-03-15")').holds(values, now), true);
  });

  for (const [text, known] of [
    ['shipping.amount < 5', undefined],
    ['!(shipping.amount < 5)', undefined],
    ['shipping.amount < 5 || stock == 0', true],
    ['shipping.amount < 5 && stock == 1', false],
    ['shipping.amount < 5 && stock == 0', undefined],
    ['stock / 0 == 1', undefined],
  ] as const) {
    test(`where a value is not known, ${text} is ${String(known)}`, () => {
      assert.equal(compiled(text).holds(values, now), known);
      assert.equal(compiled(text).holds({ ...values, shipping: null }, now), known);
      assert.equal(compiled(text).holds({ ...values, shipping: 'text in place of money' }, now), known);
    });
  }

  for (const [text, message] of [
    ['prise < 5', /^expected a declared field \(.*\), got "prise"; did you mean "price"\?, at character 1$/],
    ['stock ==', /at character 9$/],
    ['price < 5', /^no such overload: money < number; the number of such a field is its "amount", at character 1$/],
    ['weight > pack', /^no such overload: quantity > quantity/],
    ['live == "yes"', /^no such overload: boolean == text/],
    ['stock + 1', /^expected a condition, got number$/],
    ['title + "x" == "y"', /^expected no text or list joined to another, at character 1$/],
    ['title.matches("a+")', /^expected one of .*, got matches\(\); write like\(text, "…"\), at character 1$/],
    ['tags.exists(t, t == "solar")', /got exists\(\)/],
    ['tags.all(t, true)', /got all\(\)/],
    ['tags.map(t, t) == tags', /got map\(\)/],
    ['tags.filter(t, true) == tags', /got filter\(\)/],
    ['size(tags + tags) == 2', /^expected no text or list joined/],
    ['cel.bind(a, 1, a == 1)', /got bind\(\)/],
    ['dyn(stock) == 1', /got dyn\(\)/],
    ['{"a": 1} == {"a": 1}', /expected no "map" here|more than 0 parts/],
    ['tags[0] == "a"', /^expected no "\[\]" here, at character 1$/],
    ['ends == null', /^expected has\(field\) in place of null, at character 9$/],
    ['has(price.amount)', /^expected has\(\) with the name of a field/],
    ['data == "x"', /^expected a field of another type than that of "data", at character 1$/],
    ['like(title, status)', /^expected a pattern of RE2: it must stand here as a text, at character 13$/],
    ['like(title, "(?=a)")', /^expected a pattern of RE2: /],
    ['now - ends > duration("soon")', /^expected duration\(\) with a duration like "24h", at character 23$/],
    ['ends < timestamp("tomorrow")', /^expected timestamp\(\) with an instant/],
    ['day < date("2026-02-30")', /^expected date\(\) with a day/],
    ['size(title) > 3 ? now : now', /^expected `now` in a comparison/],
    ['(live ? ends : published) < now', /^expected only fields, constants, \+ and - beside `now`, at character/],
    ['now == now.getFullYear()', /got getFullYear\(\)/],
    ['_whole.title == "x"', /^expected a declared field/],
    ['title.constructor == title', /cannot index type 'text'/i],
    ['title == b"x"', /expected a number or a text/],
    ['stock == 5u', /expected a number or a text|at character/],
    ['', /at character 1$/],
  ] as const) {
    test(`refuses ${text === '' ? 'an empty text' : text}`, () => {
      assert.match(refusal(text), message);
    });
  }

  test('is refused over 4 kB, over 500 parts, and over 20 levels', () => {
    assert.match(refusal(`title == "${'x'.repeat(4_096)}"`), /^expected at most 4096 bytes$/);
    assert.match(refusal(Array(300).fill('live').join('||')), /^more than 500 parts/);
    assert.match(refusal(`${'('.repeat(21)}live${')'.repeat(21)}`), /^nested more than 20 levels deep/);
    assert.ok(compileCondition(`${'('.repeat(19)}live${')'.repeat(19)}`, scope).ok);
    assert.match(refusal(`${'!'.repeat(4_000)}live`), /^more than 500 parts|^nested/);
  });

  test('knows the first instant from which it holds, if the values stay as they are', () => {
    const at = (text: string) => Date.parse(text);
    const later = { ...values, ends: '2026-03-20T18:00:00.000Z' };
    for (const [text, instant] of [
      ['ends < now', at('2026-03-20T18:00:00.001Z')],
      ['ends <= now', at('2026-03-20T18:00:00Z')],
      ['now > ends + duration("1h")', at('2026-03-20T19:00:00.001Z')],
      ['ends + duration("1h") <= now && stock == 0', at('2026-03-20T19:00:00Z')],
      ['ends <= now && stock == 1', undefined],
      ['now - published >= duration("3d") || ends <= now', at('2026-03-16T12:00:00Z')],
      ['ends > now', now],
      ['ends - now < duration("1h") && now < ends', at('2026-03-20T17:00:00.001Z')],
      ['ends == now', at('2026-03-20T18:00:00Z')],
      ['day < now', at('2026-03-14T23:00:00Z')],
      ['published > now', undefined],
      ['shipping.amount < 5 && ends < now', undefined],
      ['!(now < ends)', at('2026-03-20T18:00:00Z')],
      ['now >= timestamp("2026-04-01T00:00:00Z")', at('2026-04-01T00:00:00Z')],
      ['date("2026-03-31") < now', at('2026-03-31T22:00:00Z')],
    ] as const) {
      assert.equal(compiled(text).holdsFrom(later, now), instant, text);
    }
    assert.equal(compiled('ends < now').holdsFrom({ ...values, ends: null }, now), undefined);
  });

  test('does not search a text that is too long for its pattern', () => {
    const search = compiled('like(title, "(a|b|c|d|e)*f{100}")');
    assert.equal(search.holds({ title: 'x'.repeat(10_000_000) }, now), undefined);
  });
});

describe('any text', () => {
  const token = fc.constantFrom(
    ...'( ) [ ] { } , . ? : ! - + * / % < <= > >= == != && || in'.split(' '),
    ...['now', 'ends', 'stock', 'price', 'price.amount', 'title', 'tags', 'has', 'size', 'like', 'duration', 'date'],
    ...['"a"', '"24h"', '1', '0.1', '1e9', 'true', 'null', 'has(ends)', 'duration("1h")', 'timestamp("x")', 'map', 't'],
    ...['__proto__', 'constructor', 'toString', '_whole', 'cel', 'r"x"', '"""', "b'a'", '\\', '0x', '9'.repeat(300)],
  );
  const nested = fc
    .tuple(fc.constantFrom('(', '!', '-', '[', 'has(', 'size(', 'a.', '{'), fc.nat(4_000))
    .map(([part, times]) => part.repeat(times));
  const hostile = fc.oneof(
    fc.array(token, { maxLength: 60 }).map((tokens) => tokens.join(' ')),
    fc.string({ maxLength: 200, unit: 'binary' }),
    fc.tuple(nested, fc.array(token, { maxLength: 5 })).map(([head, tail]) => head + tail.join(' ')),
  );
  const anyValue = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.record({ amount: fc.string(), currency: fc.string() }),
    fc.constantFrom('2026-03-14', '2026-03-14T09:30:00Z', '+275760-09-13T00:00:00Z', '9'.repeat(400), Infinity),
  );

  test('is compiled or refused, and a condition evaluates to true, false or unknown', () => {
    let conditions = 0;
    fc.assert(
      fc.property(hostile, fc.dictionary(fc.constantFrom(...Object.keys(scope.fields)), anyValue), (text, given) => {
        const found = compileCondition(text, scope);
        if (!found.ok) return typeof found.message === 'string' && found.message.length < 1_000;
        conditions += 1;
        const at = found.condition.holdsFrom(given, now);
        const turn = found.condition.turnsAfter(given, now);
        if (turn !== undefined) {
          assert.ok(turn > now);
          assert.equal(found.condition.holds(given, turn), !found.condition.holds(given, now));
        }
        const holds = found.condition.holds(given, now);
        assert.equal(at === now, holds === true);
        return at === undefined || found.condition.holds(given, at) === true;
      }),
      { numRuns: 3_000 },
    );
    assert.ok(conditions > 0);
  });

  test('that compares with now changes at no instant but those that are known', () => {
    const instant = fc.integer({ min: now - 5, max: now + 60 }).map((ms) => new Date(ms).toISOString());
    const side = fc.constantFrom('now', 'ends', 'published', 'ends + duration("7ms")', 'now - duration("9ms")');
    const compare = fc
      .tuple(side, fc.constantFrom('<', '<=', '>', '>=', '==', '!='), side)
      .map((parts) => parts.join(' '));
    const condition = fc
      .tuple(compare, fc.constantFrom('&&', '||'), compare, fc.boolean())
      .map(([one, operator, other, isNot]) => `${isNot ? '!' : ''}(${one}) ${operator} ${other}`);
    fc.assert(
      fc.property(condition, instant, instant, (text, ends, published) => {
        const found = compiled(text);
        const given = { ends, published };
        const steps = Array.from({ length: 100 }, (_, ms) => now + ms);
        const expected = steps.find((at) => found.holds(given, at) === true);
        const at = found.holdsFrom(given, now);
        assert.equal(at !== undefined && at > now + 99 ? undefined : at, expected, text);
      }),
      { numRuns: 300 },
    );
  });
});
