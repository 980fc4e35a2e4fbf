import { LRUCache } from 'lru-cache';

/** What a definition says of the currencies of its texts. */
export interface CurrencyOptions {
  /** The code of ISO 4217 that is meant by amounts without a sign, and by signs that several currencies share. */
  readonly currency?: string;
  /** The language and country whose signs and names of currencies are meant: `$` is CAD in `en-CA`. */
  readonly locale?: string;
}

/** The codes of ISO 4217 in use. */
export const currencyCodes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Codes that are words or abbreviations as well, and mean a currency only where the definition names it. */
const words: ReadonlySet<string> = new Set('ALL ANG BAM BOB COP CUP GEL LAK MAD MOP PEN SOS TOP TRY'.split(' '));

/**
 * Signs and short names, with the currencies that they stand for, without dots at their ends. Where one code ends in `!`, it is meant
 * unless the definition says otherwise: Gibraltar's pound is at par with the British one, and the others are told apart by a letter.
 */
const signs = new Map(
  `$=USD,ARS,AUD,BBD,BMD,BND,BSD,BZD,CAD,CLP,COP,CUC,CUP,DOP,FJD,GYD,HKD,JMD,KYD,LRD,MXN,NAD,NZD,SBD,SGD,SRD,TTD,TWD,UYU,XCD
A$=AUD R$=BRL C$=CAD,NIO S$=SGD NT$=TWD RD$=DOP EC$=XCD J$=JMD T$=TOP $T=TOP $U=UYU Z$=ZWL WS$=WST CAN$=CAD E£=EGP £E=EGP L£=LBP £L=LBP
€=EUR £=GBP!,EGP,FKP,GIP,LBP,SDG,SHP,SSP,SYP ￡=GBP ¥=JPY,CNY ￥=JPY,CNY CN¥=CNY JP¥=JPY 円=JPY 元=CNY,HKD,TWD 圆=CNY 圓=CNY,TWD 人民币=CNY
₹=INR Rs=INR,LKR,MUR,NPR,PKR,SCR Re=INR,NPR,PKR ₨=INR,LKR,MUR,NPR,PKR,SCR रू=NPR රු=LKR ৳=BDT ؋=AFN ﷼=IRR,OMR,QAR,SAR,YER ریال=IRR ريال=OMR,QAR,SAR,YER
₩=KRW!,KPW 원=KRW ₪=ILS NIS=ILS ש״ח=ILS ש"ח=ILS ₺=TRY TL=TRY ₼=AZN ֏=AMD ₾=GEL ლარი=GEL ₸=KZT тг=KZT ⃀=KGS сом=KGS,TJS,UZS soʻm=UZS so'm=UZS
₽=RUB руб=BYN,RUB рубль=BYN,RUB рубля=BYN,RUB рублей=BYN,RUB р=BYN,RUB Р=RUB Br=BYN,ETB ₴=UAH грн=UAH лв=BGN ден=MKD дин=RSD din=RSD KM=BAM kn=HRK Lekë=ALL Lek=ALL
kr=DKK,ISK,NOK,SEK Kr=DKK,ISK,NOK,SEK KR=DKK,ISK,NOK,SEK zł=PLN Zł=PLN ZŁ=PLN zl=PLN Kč=CZK Ft=HUF lei=MDL,RON Lei=MDL,RON LEI=MDL,RON L=HNL,MDL,RON Fr=CHF SFr=CHF sFr=CHF
₡=CRC ₱=PHP ₲=PYG Gs=PYG Bs=BOB,VES B/=PAB S/=PEN Q=GTQ G=HTG,GYD RM=MYR Rp=IDR ฿=THB ₫=VND đ=VND VNĐ=VND ₭=LAK ៛=KHR ₮=MNT P=BWP K=MMK,PGK,ZMW ZK=ZMW MK=MWK Nu=BTN Rf=MVR
₦=NGN R=ZAR GH₵=GHS ₵=GHS KSh=KES Ksh=KES TSh=TZS USh=UGX FCFA=XAF,XOF CFA=XAF,XOF CFPF=XPF CF=KMF FC=CDF FBu=BIF Fdj=DJF FG=GNF RF=RWF FRw=RWF Ar=MGA Db=STN DT=TND DA=DZD Dh=AED,MAD Kz=AOA
Nfk=ERN D=GMD E=EGP,SZL S=SOS Le=SLE UM=MRU VT=VUV LD=LRD,LYD KD=KWD BD=BHD ብር=ETB SR=SAR,SCR ƒ=ANG,AWG جنيه=EGP,SDG درهم=AED,MAD دج=DZD
yen=JPY yuan=CNY lari=GEL ლ=GEL hrn=UAH nis=ILS ש'ח=ILS Dinara=RSD Дин=RSD Dhs=AED KShs=KES Ks=MMK Vt=VUV Esc=CVE som=KGS,UZS Rbl=BYN,RUB र=INR,NPR ரூ=INR,LKR
pound=EGP,GBP pounds=EGP,GBP franc=CHF,XAF,XOF francs=CHF,XAF,XOF dollar=AUD,CAD,USD dollars=AUD,CAD,USD dinar=KWD,RSD GFr=GNF $b=BBD,BOB G$=GYD دينار=BHD,DZD,IQD,JOD,KWD,LYD,TND ع.د=IQD ل.د=LYD
د.إ=AED د.ب=BHD د.ج=DZD ج.م=EGP د.ع=IQD د.أ=JOD د.ا=JOD د.ك=KWD ل.ل=LBP د.ل=LYD د.م=MAD أ.م=MRU ر.ع=OMR ر.ق=QAR ر.س=SAR ج.س=SDG ل.س=SYP د.ت=TND ر.ي=YER`
    .split(/\s+/)
    .map((entry): [string, readonly string[]] => {
      const at = entry.lastIndexOf('=');
      return [entry.slice(0, at), entry.slice(at + 1).split(',')];
    }),
);

/**
 * Returns the currencies that a sign, name or code may mean: one where that is sure, several where the definition must say which, none
 * where it is no currency, or not the one that the definition names.
 */
export function currenciesOf(written: string, { currency, locale }: CurrencyOptions): readonly string[] {
  const sign = bare(written);
  const all = (signs.get(sign) ?? []).map((code) => code.replace('!', ''));
  if (currency !== undefined) return isOf(sign, currency, all, locale) ? [currency] : [];
  const local = locale === undefined ? undefined : symbolsOf(locale).get(sign);
  if (local !== undefined) return local;
  const sure = signs.get(sign)?.find((code) => code.endsWith('!'));
  if (sure !== undefined) return [sure.replace('!', '')];
  // A letter alone may be anything: a size, a grade, a thousand.
  if (/^\p{L}$/u.test(sign)) return [];
  if (all.length > 0) return all;
  const code = sign.toUpperCase();
  if (currencyCodes.has(code)) return words.has(code) ? [] : [code];
  const marked = markedWith(sign);
  if (marked.length > 0) return marked;
  return (
    namesOf('en').get(sign.toLowerCase()) ??
    (locale === undefined ? [] : (namesOf(locale).get(sign.toLowerCase()) ?? []))
  );
}

function isOf(sign: string, currency: string, all: readonly string[], locale: string | undefined): boolean {
  if (all.includes(currency) || sign.toUpperCase() === currency || markedWith(sign).includes(currency)) return true;
  return ['en', homeOf(currency), locale].some((each) => {
    const names = each === undefined ? undefined : writtenIn.memo(`${each} ${currency}`);
    return names?.has(sign) === true || names?.has(sign.toLowerCase()) === true;
  });
}

/** How a language writes a currency, by both: symbols as they are, names in lower case. */
const writtenIn = new LRUCache<string, ReadonlySet<string>>({
  max: 1_000,
  memoMethod(both) {
    const [locale = '', currency = ''] = both.split(' ');
    const symbols = (['symbol', 'narrowSymbol'] as const).map((display) => writtenAs(locale, currency, display, 1));
    return new Set([...symbols, ...namesIn(locale, currency)]);
  },
});

/** The currencies of a `$` or the like with a country or a code beside it: `AU$`, `$US`, `SGD$`. */
function markedWith(sign: string): readonly string[] {
  const found = /^(?:([A-Z]{2,3}) ?(\p{Sc})|(\p{Sc}) ?([A-Z]{2,3}))$/u.exec(sign);
  if (found === null) return [];
  const [, before = '', left, right, after = before] = found;
  return (signs.get(left ?? right ?? '') ?? [])
    .map((code) => code.replace('!', ''))
    .filter((code) => code.startsWith(after));
}

/** A sign without dots at its ends. */
function bare(sign: string): string {
  return sign.replaceAll(/^\.+(?=.)|(?<=.)\.+$/g, '');
}

/** The language that a currency is mostly written in: the first two letters of its code are a country's. */
export function homeOf(currency: string): string | undefined {
  return currency === 'EUR' ? undefined : new Intl.Locale(`und-${currency.slice(0, 2)}`).maximize().toString();
}

/** The codes by their symbols in a language. Definitions name few languages. */
const symbolsOf = perLocale((locale) =>
  byName((currency) => [writtenAs(locale, currency, 'symbol', 1)].filter((symbol) => symbol !== currency)),
);

/** The codes by their names in a language, in lower case. */
const namesOf = perLocale((locale) => byName((currency) => namesIn(locale, currency)));

function perLocale<T extends object>(make: (locale: string) => T): (locale: string) => T {
  const made = new LRUCache<string, T>({ max: 50, memoMethod: (locale) => make(locale) });
  return (locale) => made.memo(locale);
}

function byName(namesFor: (currency: string) => readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const currency of currencyCodes)
    for (const name of new Set(namesFor(currency))) found.set(name, [...(found.get(name) ?? []), currency]);
  return found;
}

/** The names of a currency in all numbers, in lower case. */
function namesIn(locale: string, currency: string): readonly string[] {
  const names = [1, 2, 3, 5, 11, 100, 1.5].map((count) => writtenAs(locale, currency, 'name', count));
  const title = new Intl.DisplayNames(locale, { type: 'currency' }).of(currency) ?? currency;
  return [...names, title].map((name) => name.toLowerCase());
}

function writtenAs(
  locale: string,
  currency: string,
  currencyDisplay: 'symbol' | 'narrowSymbol' | 'name',
  count: number,
): string {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay });
  const found = format.formatToParts(count).find(({ type }) => type === 'currency');
  return bare(
    (found?.value ?? currency)
      .replaceAll(/[\u200e\u200f\u061c]/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}
