/** Signs and short names of currencies, each with those that it may stand for; the first is meant where the definition names none. */
const signs: ReadonlyMap<string, readonly string[]> = new Map([
  ['$', ['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD', 'MXN', 'TWD', 'ARS', 'CLP', 'COP']],
  ['US$', ['USD']],
  ['A$', ['AUD']],
  ['AU$', ['AUD']],
  ['C$', ['CAD']],
  ['CA$', ['CAD']],
  ['NZ$', ['NZD']],
  ['HK$', ['HKD']],
  ['S$', ['SGD']],
  ['MX$', ['MXN']],
  ['NT$', ['TWD']],
  ['R$', ['BRL']],
  ['€', ['EUR']],
  ['£', ['GBP', 'EGP']],
  ['¥', ['JPY', 'CNY']],
  ['円', ['JPY']],
  ['CN¥', ['CNY']],
  ['元', ['CNY']],
  ['₹', ['INR']],
  ['₽', ['RUB']],
  ['₩', ['KRW']],
  ['₪', ['ILS']],
  ['₺', ['TRY']],
  ['₴', ['UAH']],
  ['₫', ['VND']],
  ['฿', ['THB']],
  ['₱', ['PHP']],
  ['₦', ['NGN']],
  ['zł', ['PLN']],
  ['Kč', ['CZK']],
  ['Ft', ['HUF']],
  ['lei', ['RON']],
  ['Fr.', ['CHF']],
]);

/** The krone, króna and krona are written alike: without a currency in the definition nobody can tell. */
const crowns: readonly string[] = ['SEK', 'NOK', 'DKK', 'ISK'];

const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** The currency that a sign or code on a page means, given the one that the definition names; nothing when they contradict or leave it open. */
export function currencyOf(sign: string, declared: string | undefined): string | undefined {
  if (sign === '') return declared;
  const meant = signs.get(sign) ?? (codes.has(sign.toUpperCase()) ? [sign.toUpperCase()] : undefined);
  if (meant !== undefined) return declared === undefined ? meant[0] : meant.find((code) => code === declared);
  return /^kr\.?$/i.test(sign) ? crowns.find((code) => code === declared) : undefined;
}

const known = new Map<string, number>();

/** How many decimals a currency has: 2 for the euro, 0 for the yen, 3 for the Kuwaiti dinar. */
export function decimalsOf(currency: string): number {
  const decimals =
    known.get(currency) ??
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ??
    2;
  known.set(currency, decimals);
  return decimals;
}
