import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type ReadValue, readValue, type ScalarRule } from '../../../src/extract/value/all.ts';
import { currenciesOf } from '../../../src/extract/value/currency.ts';
import { plainText } from '../../../src/extract/value/plain-text.ts';
import type { MoneyOptions } from '../../../src/extract/value/money.ts';

function read(text: string, options: MoneyOptions = {}): ReadValue {
  return readValue(text, { type: 'money', ...options }, 'http://site.test/');
}

/** A price as short text: `12.99 EUR / month, from`; what was expected for a text that is refused. */
function shown(text: string, options: MoneyOptions = {}): string {
  const result = read(text, options);
  if (!result.ok) return `refused: ${result.expected}`;
  assert.ok(typeof result.value === 'object' && result.value !== null && 'amount' in result.value);
  const { amount = null, currency = null, per, from } = result.value;
  return `${plainText(amount)} ${plainText(currency)}${per === undefined ? '' : ` / ${plainText(per)}`}${from === true ? ', from' : ''}`;
}

describe('money', () => {
  for (const [text, price, options] of [
    ['1.234,50 €', '1234.50 EUR'],
    ['EUR 5', '5.00 EUR'],
    ['5 eur', '5.00 EUR'],
    ['€1.234', '1234.00 EUR'],
    ['€0,999', '0.999 EUR'],
    ['KWD 1.234', '1.234 KWD'],
    ['JPY 12.500', '12500 JPY'],
    ['SEK 1,299', '1299.00 SEK'],
    ['€1.234 each', '1234.00 EUR / piece'],
    ['−5,00 €', '-5.00 EUR'],
    ['€ -5', '-5.00 EUR'],
    ['CA$20', '20.00 CAD'],
    ['AU $59.95', '59.95 AUD'],
    ['SGD$4.90', '4.90 SGD'],
    ['£94.50 GBP', '94.50 GBP'],
    ['US$:12.99', '12.99 USD'],
    ['R$ 1.234,56', '1234.56 BRL'],
    ['₹12,34,567.80', '1234567.80 INR'],
    ["CHF 1'234.50", '1234.50 CHF'],
    ['1 234,50 zł', '1234.50 PLN'],
    ['EUR 499,-', '499.00 EUR'],
    ['499,– €', '499.00 EUR'],
    ['€.99', '0.99 EUR'],
    ['€ 5', '5.00 EUR'],
    ['5 euros', '5.00 EUR'],
    ['12 Swiss francs', '12.00 CHF'],
    ['USD 99999999999999999999.99', '99999999999999999999.99 USD'],
    ['$1,234.50', '1234.50 USD', { currency: 'USD' }],
    ['$1,234.50', '1234.50 USD', { locale: 'en-US' }],
    ['$1,234.50', '1234.50 CAD', { locale: 'en-CA' }],
    ['$5', '5.00 CAD', { currency: 'CAD' }],
    ['1.234,50 €', '1234.50 EUR', { locale: 'en-US' }],
    ['€1.234', '1.234 EUR', { locale: 'en-US' }],
    ['¥12,500', '12500 JPY', { currency: 'JPY' }],
    ['12 500 kr', '12500.00 NOK', { locale: 'nb' }],
    ['12 500', '12500.00 SEK', { currency: 'SEK' }],
    ['kr 1 299,-', '1299.00 SEK', { currency: 'SEK' }],
    ['499:-', '499.00 SEK', { currency: 'SEK' }],
    ['Rs. 1,306.14', '1306.14 INR', { currency: 'INR' }],
    ['R273.00', '273.00 ZAR', { currency: 'ZAR' }],
    ['100 TRY', '100.00 TRY', { currency: 'TRY' }],
    ['1,234', '1.234 EUR', { currency: 'EUR', decimal: ',' }],
    ['١٬٢٣٤٫٥٠ ر.س', '1234.50 SAR', { locale: 'ar-SA' }],
    ['12 dollars des États-Unis', '12.00 USD', { locale: 'fr' }],
    ['from €5', '5.00 EUR, from'],
    ['ab 2.99 €', '2.99 EUR, from'],
    ['à partir de 11,70 €', '11.70 EUR, from'],
    ['€12.99 / month', '12.99 EUR / month'],
    ['€12.99/mo', '12.99 EUR / month'],
    ['€12.99 / mo.', '12.99 EUR / month'],
    ['€30 per person', '30.00 EUR / person'],
    ['€2,50 / 100 g', '2.50 EUR / 100 g'],
    ['€426.20/EA', '426.20 EUR / piece'],
    ['€3 (ea)', '3.00 EUR / piece'],
    ['€1,20 pro Stück', '1.20 EUR / piece'],
    ['12,99 € pro Monat', '12.99 EUR / month', { locale: 'de' }],
    ['12.99 EUR/month', '12.99 EUR / month'],
    ['12,99 EUR/Monat', '12.99 EUR / month', { locale: 'de' }],
    ['12.50 zł/kg', '12.50 PLN / kg'],
    ['1 299 kr/stk', '1299.00 NOK / piece', { currency: 'NOK' }],
    ['5 EUR(each)', '5.00 EUR / piece'],
    ['S/12.50', '12.50 PEN'],
    ['1,459 € / l', '1.459 EUR / l', { locale: 'de' }],
    ['Price: €12.50 *', '12.50 EUR'],
    ['19,99 € inkl. 19 % MwSt.', '19.99 EUR'],
    ['Free', '0.00 EUR', { currency: 'EUR' }],
    ['Kostenlos!', '0.00 EUR', { currency: 'EUR' }],
    ['Offert', '0.00 EUR', { currency: 'EUR', free: ['offert'] }],
    ['1999', '19.99 EUR', { currency: 'EUR', scale: 0.01 }],
    ['5', '0.05 EUR', { currency: 'EUR', scale: 0.01 }],
    ['-1999', '-19.99 EUR', { currency: 'EUR', scale: 0.01 }],
    ['1.5', '1500.00 EUR', { currency: 'EUR', scale: 1_000 }],
    ['10,50 € 10,50 €', '10.50 EUR'],
    ['125,00 125,00 €', '125.00 EUR'],
    ['€20.00 – €35.00', '20.00 EUR', { pick: 'first' }],
    ['€20.00 €35.00', '35.00 EUR', { pick: 'last' }],
    ['€35.00 €20.00', '20.00 EUR', { pick: 'lowest' }],
    ['From 26 to 50 €', '26.00 EUR, from', { pick: 'first' }],
    ['4,99 € (49,90 € / kg)', '4.99 EUR', { pick: 'first' }],
  ] as const satisfies readonly (readonly [string, string, MoneyOptions?])[]) {
    test(`of ${JSON.stringify(text)} is ${price} ${JSON.stringify(options ?? {})}`, () => {
      assert.equal(shown(text, options), price);
    });
  }

  for (const [text, expected, options] of [
    ['5', 'an amount with its currency'],
    ['$', 'an amount with its currency'],
    ['much', 'an amount with its currency'],
    ['$5', '"currency" or "locale" for what "$" is'],
    ['12 500 kr', '"currency" or "locale" for what "kr" is'],
    ['Rs. 5', '"currency" or "locale" for what "Rs." is'],
    ['¥5', '"currency" or "locale" for what "¥" is'],
    ['C$5', '"currency" or "locale" for what "C$" is'],
    ['50 lei', '"currency" or "locale" for what "lei" is'],
    ['$5', '"currency" or "locale" for what "$" is', { locale: 'es' }],
    ['Free', '"currency" for what "Free" is free of'],
    ['TOP 10', 'a price without "TOP"'],
    ['size 5 L', 'a price without "size"'],
    ['5 L', 'a price without "L"'],
    ['16.00 ft', 'a price without "ft"'],
    ['XQX 5', 'a price without "XQX"'],
    ['$5 €', 'a price in one currency'],
    ['€5', 'a price without "€"', { currency: 'USD' }],
    ['US$5', 'a price without "US$"', { currency: 'CAD' }],
    ['Save €5', 'a price without "Save"'],
    ['5 € off', 'a price without "off"'],
    ['Was €5', 'a price without "Was"'],
    ['up to €5', 'a price without "up"'],
    ['€790 HT', 'a price without "HT"'],
    ['-10 % €5', 'a price without "%"'],
    ['Free shipping over €49', 'a price without "Free"'],
    ['(€5.00)', 'a price'],
    ['--€5', 'a price'],
    ['€5 / widget', 'a price without "widget"'],
    ['€5 pro Monat', 'a price without "pro"'],
    ['€5–€9', 'one price, or "pick": first, last or lowest'],
    ['€5 €9', 'one price, or "pick": first, last or lowest'],
    ['5 € / kg 1 €', 'prices for the same', { pick: 'lowest' }],
    ['5 € / kg 5 €', 'one price, or "pick": first, last or lowest'],
    ['€5 / m', 'a price without "m"'],
    ['2 - €5', 'a price with its currency', { pick: 'lowest' }],
    ['25-09', 'a price with its currency', { currency: 'EUR', pick: 'first' }],
    ['35€ 99', 'a price with its currency'],
    ['€1.459 / l', '"decimal" or "locale" for what "1.459" is'],
    ['USD 3.459', '"decimal" or "locale" for what "3.459" is'],
    ['KWD 1,234', '"decimal" or "locale" for what "1,234" is'],
    ['1.23', 'an amount in EUR', { currency: 'EUR', decimal: ',' }],
    ['€1,23,4', 'an amount with its currency'],
    ['€1.2.3', 'an amount with its currency'],
  ] as const satisfies readonly (readonly [string, string, MoneyOptions?])[]) {
    test(`of ${JSON.stringify(text)} is refused: ${expected} ${JSON.stringify(options ?? {})}`, () => {
      assert.equal(shown(text, options), `refused: ${expected}`);
    });
  }

  test('that a filter has read keeps what it is for', () => {
    const given = { amount: '5', currency: 'EUR', per: 'month', from: true };
    assert.deepEqual(readValue(given, { type: 'money' }, ''), { ok: true, value: { ...given, amount: '5.00' } });
    assert.equal(readValue(given, { type: 'money', currency: 'USD' }, '').ok, false);
  });

  test('has no sign that stands for one currency where Intl gives it to several', () => {
    const shared = new Map<string, string[]>();
    for (const currency of Intl.supportedValuesOf('currency')) {
      const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
      const sign =
        format
          .formatToParts(1)
          .find(({ type }) => type === 'currency')
          ?.value.replace(/\s/, ' ') ?? '';
      shared.set(sign, [...(shared.get(sign) ?? []), currency]);
    }
    for (const [sign, codes] of shared) {
      const meant = currenciesOf(sign, {});
      // These two are pounds and won without a word more.
      if (codes.length > 1 && sign !== '£' && sign !== '₩') assert.notEqual(meant.length, 1, sign);
      for (const currency of codes) assert.deepEqual(currenciesOf(sign, { currency }), [currency], sign);
    }
  });

  const locales = Intl.NumberFormat.supportedLocalesOf(
    'en en-CA en-IN en-ZA de de-AT de-CH fr fr-CH fr-CA es es-MX es-AR pt-BR pt-PT it nl sv nb da fi is pl cs hu ro bg ru uk el tr he ar ar-EG ar-SA fa ur hi bn mr ne ta th vi id ja ko zh zh-TW sw et lv sl hr sr'.split(
      ' ',
    ),
  );
  const writtenIn = (among: readonly string[]) =>
    fc.record({
      locale: fc.constantFrom(...among),
      currency: fc.constantFrom(...Intl.supportedValuesOf('currency')),
      cents: fc.integer({ min: -1e10, max: 1e10 }),
    });
  // The currencies of a language take some 80 ms to be learned.
  const few = 'en en-IN de-CH fr-CA es-AR pt-BR sv pl ar-EG fa hi th ja zh-TW tr'.split(' ');

  test('that a language writes is read back with the language and the currency', () => {
    fc.assert(
      fc.property(writtenIn(locales), fc.constantFrom('symbol', 'code', 'narrowSymbol'), (given, currencyDisplay) => {
        const { locale, currency, cents } = given;
        const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay });
        const text = format.format(cents / 100);
        assert.deepEqual(read(text, { locale, currency }), valueOf(format, cents, currency), text);
      }),
      { numRuns: 500 },
    );
  });

  test('that a language writes is the same with the language alone, or refused', () => {
    fc.assert(
      fc.property(writtenIn(few), ({ locale, currency, cents }) => {
        const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
        const text = format.format(cents / 100);
        const result = read(text, { locale });
        if (result.ok) assert.deepEqual(result, valueOf(format, cents, currency), text);
        else assert.match(result.expected, /^a price without |"currency" or "locale"/, text);
      }),
      { numRuns: 500 },
    );
  });

  function valueOf(format: Intl.NumberFormat, cents: number, currency: string): ReadValue {
    const decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
    const plain = new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
    const amount = plain
      .format(cents / 100)
      .replaceAll(',', '')
      .replace(/^-(?=[0.]+$)/, '');
    return { ok: true, value: { amount, currency } };
  }

  test('is read in a time that its length bounds', () => {
    const rule: ScalarRule = { type: 'money', pick: 'first' };
    for (const text of ['€ '.repeat(100), '1 '.repeat(100), '- '.repeat(100), 'a '.repeat(100), '1,'.repeat(100)])
      assert.equal(readValue(text, rule, '').ok, false);
  });
});
