import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { plainText } from '../../../src/extract/value/plain-text.ts';
import type { Value } from '../../../src/extract/value/value.ts';
import { readValue, type ScalarRule } from '../../../src/extract/value/all.ts';

function read(text: string, rule: ScalarRule): Value | string {
  const result = readValue(text, rule, '');
  return result.ok ? result.value : `refused: ${result.expected}`;
}

const of = (amount: number, unit: string, count?: number): Value => ({
  amount,
  unit,
  ...(count !== undefined && { count }),
});

describe('a quantity', () => {
  for (const [text, value, options] of [
    ['18 Years', of(18, 'year')],
    ['5 µg', of(5, 'µg')],
    ['5 μg', of(5, 'µg')],
    ['6 x 330 ml', of(330, 'ml', 6)],
    ['6×330ml', of(330, 'ml', 6)],
    ['330 ml x 6', of(330, 'ml', 6)],
    ['1.5 kg', of(1.5, 'kg')],
    ['1,5kg', of(1.5, 'kg')],
    ['1,500 kg', of(1.5, 'kg'), { decimal: ',' }],
    ['1,500 kg', of(1500, 'kg'), { locale: 'en' }],
    ['1 500,5 g', of(1500.5, 'g')],
    ['0.250 l', of(0.25, 'l')],
    ['5 m', of(5, 'm')],
    ['2 L', of(2, 'l')],
    ['100 MG', of(100, 'mg')],
    ['5 MB', of(5, 'MB')],
    ['20 °C', of(20, '°C')],
    ['-4 °F', of(-4, '°F')],
    ['12 %', of(12, '%')],
    ['12 pcs', of(12, 'piece')],
    ['5 ft 11 in', of(71, 'in')],
    ['1 kg 500 g', of(1500, 'g')],
    ['1 hour and 30 minutes', of(90, 'min')],
    ['18 Jahre', of(18, 'year'), { locale: 'de' }],
    ['3 сантиметра', of(3, 'cm'), { locale: 'ru' }],
    ['٥ كغم', of(5, 'kg'), { locale: 'ar' }],
    ['1.5 kg', of(1500, 'g'), { to: 'g' }],
    ['1 kg', of(2.20462262185, 'lb'), { to: 'lb' }],
    [`5' 11"`, of(180.34, 'cm'), { to: 'cm' }],
    ['330 ml', of(0.33, 'l'), { to: 'l' }],
    ['12 fl. oz', of(12, 'fl oz')],
    ['12 fl. oz', of(354.88235475, 'ml'), { to: 'ml', locale: 'en-US' }],
    ['1 pint', of(568.26125, 'ml'), { to: 'ml', locale: 'en-GB' }],
    ['2 minutes, 5 seconds', of(125, 's'), { to: 's' }],
    ['1 GiB', of(1024, 'MiB'), { to: 'MiB' }],
    ['512 bytes', of(0.512, 'kB'), { to: 'kB' }],
    ['5', 'refused: an amount with its unit'],
    ['kg', 'refused: an amount with its unit'],
    ['5 M', 'refused: an amount with its unit'],
    ['5 Mb', 'refused: an amount with its unit'],
    ['5 G', 'refused: an amount with its unit'],
    ['3 tons', 'refused: an amount with its unit'],
    ['5 in stock', 'refused: an amount with its unit'],
    ['5-10 kg', 'refused: an amount with its unit'],
    ['10 cm 20 cm', 'refused: an amount with its unit'],
    ['10 cm 2 m', 'refused: an amount with its unit'],
    ['10 cm 5 g', 'refused: an amount with its unit'],
    ['2 x 6 x 330 ml', 'refused: an amount with its unit'],
    ['18 Jahre', 'refused: an amount with its unit'],
    ['1.500 kg', 'refused: "decimal" or "locale" for what "1.500" is'],
    ['5 ml', 'refused: an amount that can be given in g', { to: 'g' }],
    ['12 fl oz', 'refused: a "locale" of the US or of Britain for what "fl oz" is in ml', { to: 'ml' }],
  ] as const satisfies readonly (readonly [string, Value, object?])[]) {
    test(`of ${JSON.stringify(text)} ${JSON.stringify(options ?? {})} is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(read(text, { type: 'quantity', ...options }), value);
    });
  }

  test('that a language writes is read back with the language', () => {
    const units = ['kilogram', 'gram', 'meter', 'kilometer', 'liter', 'hour', 'day', 'year'];
    fc.assert(
      fc.property(
        fc.constantFrom('en', 'de', 'fr', 'es', 'it', 'nl', 'sv', 'pl', 'cs', 'ru', 'tr', 'pt', 'fi'),
        fc.constantFrom(...units),
        fc.integer({ min: 0, max: 1e6 }),
        (locale, unit, amount) => {
          const text = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(amount);
          const value = read(text, { type: 'quantity', locale });
          assert.ok(
            typeof value === 'object' && value !== null && 'amount' in value,
            `${text}: ${JSON.stringify(value)}`,
          );
          assert.equal(value.amount, amount, text);
        },
      ),
    );
  });
});

describe('a duration', () => {
  for (const [text, value, options] of [
    ['1h 30m', 'PT1H30M'],
    ['1 hour, 30 minutes', 'PT1H30M'],
    ['90 minutes', 'PT1H30M'],
    ['90 min.', 'PT1H30M'],
    ['PT90M', 'PT1H30M'],
    ['PT2H', 'PT2H'],
    ['PT0.5S', 'PT0.5S'],
    ['PT0S', 'PT0S'],
    ['36 hours', 'P1DT12H'],
    ['2 weeks', 'P14D'],
    ['18 months', 'P1Y6M'],
    ['1.5 years', 'P1Y6M'],
    ['P1Y2M3DT4H5M6S', 'P1Y2M3DT4H5M6S'],
    ['2d 3h', 'P2DT3H'],
    ['250 ms', 'PT0.25S'],
    ['2 Stunden 5 Minuten', 'PT2H5M', { locale: 'de' }],
    ['4:05', 'PT4M5S', { clock: 'm:s' }],
    ['4:05', 'PT4H5M', { clock: 'h:m' }],
    ['1:02:03', 'PT1H2M3S', { clock: 'm:s' }],
    ['4:05', 'refused: "clock" for what "4:05" is'],
    ['1:30:00', 'refused: "clock" for what "1:30:00" is'],
    ['4:65', 'refused: a length of time like "1 h 30 min"', { clock: 'm:s' }],
    ['5 M', 'refused: a length of time like "1 h 30 min"'],
    ['90', 'refused: a length of time like "1 h 30 min"'],
    ['5 kg', 'refused: a length of time like "1 h 30 min"'],
    ['1.5 months', 'refused: a length of time like "1 h 30 min"'],
    ['1h 2h', 'refused: a length of time like "1 h 30 min"'],
    ['1-2 hours', 'refused: a length of time like "1 h 30 min"'],
    ['-5 min', 'refused: a length of time like "1 h 30 min"'],
    ['P', 'refused: a length of time like "1 h 30 min"'],
  ] as const satisfies readonly (readonly [string, string, object?])[]) {
    test(`of ${JSON.stringify(text)} ${JSON.stringify(options ?? {})} is ${value}`, () => {
      assert.equal(read(text, { type: 'duration', ...options }), value);
    });
  }

  test('has one spelling, which is read as itself', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(5_000), fc.nat(5_000), fc.nat(500_000), (months, hours, minutes, seconds) => {
        const once = read(`P${months}MT${hours}H${minutes}M${seconds}S`, { type: 'duration' });
        assert.equal(read(plainText(once) ?? '', { type: 'duration' }), once);
        const other = `P${months}MT${hours * 3_600 + minutes * 60 + seconds}S`;
        assert.equal(read(other, { type: 'duration' }), once);
      }),
    );
  });
});
