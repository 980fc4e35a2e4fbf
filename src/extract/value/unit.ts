import { LRUCache } from 'lru-cache';

/**
 * Units by what they measure, one each: its symbol, its name in `Intl` or `-`, how many of the measure's first unit it is, and other ways
 * to write it, with `_` for a blank. Two numbers are those of US and of imperial measure, `-` one that cannot be converted.
 */
const measures: readonly (readonly string[])[] = [
  [
    'g gram 1 gr',
    'ng - 1e-9 nanogram nanograms',
    'µg - 1e-6 μg mcg microgram micrograms',
    'mg - 0.001 milligram milligrams',
    'kg kilogram 1000 kilo kilos kgs',
    't - 1000000 tonne tonnes',
    'oz ounce 28.349523125',
    'lb pound 453.59237 lbs',
    'st stone 6350.29318',
  ],
  [
    'm meter 1 meters metre metres',
    'nm - 1e-9 nanometer nanometre',
    'µm - 1e-6 μm micrometer micrometre micron microns',
    'mm millimeter 0.001 millimetre millimetres',
    'cm centimeter 0.01 centimetre centimetres',
    'km kilometer 1000 kilometre kilometres',
    'in inch 0.0254 " ″ ”',
    "ft foot 0.3048 ' ′ ’",
    'yd yard 0.9144',
    'mi mile 1609.344',
  ],
  [
    'm2 - 1 m² sqm',
    'cm2 - 0.0001 cm²',
    'km2 - 1000000 km²',
    'ft2 - 0.09290304 ft² sqft sq_ft',
    'ha hectare 10000',
    'acre acre 4046.8564224',
  ],
  [
    'l liter 1 L ltr litre litres',
    'µl - 1e-6 μl',
    'ml milliliter 0.001 mL millilitre millilitres',
    'cl - 0.01 cL centiliter centilitre',
    'dl - 0.1 dL deciliter decilitre',
    'm3 - 1000 m³ cbm',
    'cm3 - 0.001 cm³ ccm',
    'fl_oz fluid-ounce 0.0295735295625/0.0284130625 fl_oz. fl._oz fl._oz. floz',
    'pt - 0.473176473/0.56826125 pint pints',
    'qt - 0.946352946/1.1365225 quart quarts',
    'gal gallon 3.785411784/4.54609',
  ],
  [
    's second 1 sec secs',
    'ms millisecond 0.001 msec',
    'min minute 60 mins',
    'h hour 3600 hrs',
    'day day 86400',
    'week week 604800',
  ],
  ['month month 1', 'year year 12'],
  [
    'B byte 1',
    'kB kilobyte 1e3 KB',
    'MB megabyte 1e6',
    'GB gigabyte 1e9',
    'TB terabyte 1e12',
    'KiB - 1024 kibibyte kibibytes',
    'MiB - 1048576 mebibyte mebibytes',
    'GiB - 1073741824 gibibyte gibibytes',
    'TiB - 1099511627776 tebibyte tebibytes',
  ],
  ['J - 1 joule joules', 'kJ - 1000', 'kcal - 4184', 'Wh - 3600', 'kWh - 3600000'],
  [
    'W - 1 watt watts',
    'kW - 1000',
    'V - - volt volts',
    'A - - amp amps',
    'Hz - - hertz',
    'kHz - -',
    'MHz - -',
    'GHz - -',
    'mAh - -',
  ],
  ['% percent -', '°C celsius -', '°F fahrenheit -', 'px - - pixel pixels', 'IU - - I.U.', 'piece - - pieces pc pcs'],
];

/** One unit: of what it is a multiple, and of how many. */
export interface Unit {
  readonly symbol: string;
  readonly measure: number;
  /** Undefined where it cannot be converted. */
  readonly factor: { readonly us: number; readonly imperial: number } | undefined;
  readonly intl: string | undefined;
  readonly words: readonly string[];
}

const units: readonly Unit[] = measures.flatMap((lines, measure) =>
  lines.map((line) => {
    const [symbol = '', intl, factor = '', ...words] = line.split(' ').map((word) => word.replaceAll('_', ' '));
    const [us, imperial = us] = factor.split('/').map(Number);
    return {
      symbol,
      measure,
      factor: us === undefined || imperial === undefined || factor === '-' ? undefined : { us, imperial },
      intl: intl === '-' ? undefined : intl,
      words,
    };
  }),
);

const bySymbol = new Map(units.map((unit) => [unit.symbol, unit]));

const asWritten = new Map(units.flatMap((unit) => [unit.symbol, ...unit.words].map((word) => [word, unit])));

/** The symbols of the units that amounts can be converted to. */
export const unitNames: readonly string[] = units
  .filter(({ factor }) => factor !== undefined)
  .map(({ symbol }) => symbol);

/** The units by their names in a language, in lower case; what two units are called is left out. */
const namesIn = new LRUCache<string, ReadonlyMap<string, Unit | undefined>>({
  max: 50,
  memoMethod(locale) {
    const found = new Map<string, Unit | undefined>();
    for (const unit of units)
      for (const name of new Set([unit.symbol, ...unit.words, ...localNames(unit, locale)].map(folded)))
        found.set(name, found.has(name) && found.get(name) !== unit ? undefined : unit);
    return found;
  },
});

/**
 * Returns the unit that a text names in English or in another language; undefined for any other text. A symbol of one letter is taken as
 * it is written, and so are bits and bytes, as a large letter there means another unit.
 */
export function unitNamed(text: string, locale?: string): Unit | undefined {
  const exact = asWritten.get(text);
  if (exact !== undefined || /^(?:\p{L}|[KMGT]b)$/u.test(text)) return exact;
  return (
    namesIn.memo('en').get(folded(text)) ?? (locale === undefined ? undefined : namesIn.memo(locale).get(folded(text)))
  );
}

/**
 * How many of the unit `to` one of the unit `from` is; undefined if they measure different things, or if it depends on the country's
 * measures and the locale says none.
 */
export function unitRatio(from: Unit, to: Unit, locale?: string): number | undefined {
  if (from === to) return 1;
  if (from.measure !== to.measure || from.factor === undefined || to.factor === undefined) return undefined;
  const us = from.factor.us / to.factor.us;
  const imperial = from.factor.imperial / to.factor.imperial;
  if (us === imperial) return us;
  const region = locale === undefined ? undefined : new Intl.Locale(locale).region;
  if (region === 'US') return us;
  return region === 'GB' || region === 'IE' ? imperial : undefined;
}

/** The unit of a symbol. Throws a `RangeError` if there is none. */
export function unitOf(symbol: string): Unit {
  const unit = bySymbol.get(symbol);
  if (unit === undefined) throw new RangeError(`expected a unit, got "${symbol}"`);
  return unit;
}

function folded(name: string): string {
  return name.replace(/(?<=.)\.$/, '').toLowerCase();
}

/** What a language calls a unit, long and short, in all numbers. */
function localNames({ intl }: Unit, locale: string): string[] {
  if (intl === undefined) return [];
  return (['long', 'short'] as const).flatMap((unitDisplay) => {
    const format = new Intl.NumberFormat(locale, { style: 'unit', unit: intl, unitDisplay });
    return [1, 2, 5, 1.5].map((count) =>
      format
        .formatToParts(count)
        .flatMap(({ type, value }) => (type === 'unit' || type === 'percentSign' ? [value.trim()] : []))
        .join(' '),
    );
  });
}
