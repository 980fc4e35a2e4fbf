import { type DecimalMark, readDecimal } from '../value/decimal.ts';

type Units = Readonly<Record<string, { readonly factor: number; readonly words: string }>>;

/** Units by what they measure: the symbol, what it is of the first one's measure, and other ways to write it. */
const measures: readonly Units[] = [
  {
    g: { factor: 1, words: 'gr gram grams gramme grammes gramm' },
    mg: { factor: 0.001, words: 'milligram milligrams' },
    kg: { factor: 1_000, words: 'kilo kilos kgs kilogram kilograms kilogramm' },
    t: { factor: 1_000_000, words: 'ton tons tonne tonnes' },
    oz: { factor: 28.349523125, words: 'ounce ounces' },
    lb: { factor: 453.59237, words: 'lbs pound pounds' },
  },
  {
    m: { factor: 1, words: 'meter meters metre metres' },
    mm: { factor: 0.001, words: 'millimeter millimeters millimetre millimetres' },
    cm: { factor: 0.01, words: 'centimeter centimeters centimetre centimetres' },
    km: { factor: 1_000, words: 'kilometer kilometers kilometre kilometres' },
    in: { factor: 0.0254, words: 'inch inches " ″ zoll' },
    ft: { factor: 0.3048, words: "foot feet ' ′" },
    yd: { factor: 0.9144, words: 'yard yards' },
    mi: { factor: 1_609.344, words: 'mile miles' },
  },
  {
    l: { factor: 1, words: 'ltr liter liters litre litres' },
    ml: { factor: 0.001, words: 'milliliter milliliters millilitre millilitres' },
    cl: { factor: 0.01, words: 'centiliter centiliters centilitre centilitres' },
    dl: { factor: 0.1, words: 'deciliter deciliters decilitre decilitres' },
    m3: { factor: 1_000, words: 'm³ cbm' },
    'fl oz': { factor: 0.0295735295625, words: 'floz' },
    pt: { factor: 0.473176473, words: 'pint pints' },
    qt: { factor: 0.946352946, words: 'quart quarts' },
    gal: { factor: 3.785411784, words: 'gallon gallons' },
  },
  {
    s: { factor: 1, words: 'sec secs second seconds sekunde sekunden' },
    ms: { factor: 0.001, words: 'millisecond milliseconds' },
    min: { factor: 60, words: 'm mins minute minutes minuten' },
    h: { factor: 3_600, words: 'hr hrs hour hours std stunde stunden' },
    d: { factor: 86_400, words: 'day days tag tage tagen' },
    wk: { factor: 604_800, words: 'w week weeks woche wochen' },
  },
  {
    B: { factor: 1, words: 'byte bytes' },
    kB: { factor: 1e3, words: 'kilobyte kilobytes' },
    MB: { factor: 1e6, words: 'megabyte megabytes' },
    GB: { factor: 1e9, words: 'gigabyte gigabytes' },
    TB: { factor: 1e12, words: 'terabyte terabytes' },
    KiB: { factor: 1_024, words: 'kibibyte kibibytes' },
    MiB: { factor: 1_048_576, words: 'mebibyte mebibytes' },
    GiB: { factor: 1_073_741_824, words: 'gibibyte gibibytes' },
    TiB: { factor: 1_099_511_627_776, words: 'tebibyte tebibytes' },
  },
];

/** The symbols of the units that amounts can be converted to. */
export const unitNames: readonly string[] = measures.flatMap((units) => Object.keys(units));

const pairForm =
  /\s*((?:[-+\u2212] ?)?(?:\d(?:[\d.,]*\d)?(?:[ '’]\d{3}(?!\d))*(?:[.,]\d+)?|\.\d+))\s*(fl\.?\s?oz|[^\s\d.,+-]+3?)\.?,?(?:\s*(?:and|und|&)(?=\s))?/iuy;

/**
 * Makes a function that converts an amount with its unit, or several that add up (`1 h 30 min`), to a number of the unit `to`; it
 * gives undefined for any other text. US measures are meant. A kB is 1,000 bytes, a KiB 1,024. Throws a `RangeError` if `to` is none of `unitNames`.
 */
export function unitReader(to: string, mark: DecimalMark): (text: string) => number | undefined {
  const units = measures.find((each) => Object.hasOwn(each, to));
  const target = units?.[to]?.factor;
  if (units === undefined || target === undefined) throw new RangeError(`expected a unit, got "${to}"`);
  const exact = new Map(Object.entries(units).map(([name, { factor }]) => [name, factor]));
  const loose = new Map(
    Object.entries(units).flatMap(([name, { factor, words }]) =>
      [name.toLowerCase(), ...words.split(' ')].map((word) => [word, factor] as const),
    ),
  );
  return (text) => {
    let sum = 0;
    let at = 0;
    if (text.length > 200) return undefined;
    while (at < text.length && text.slice(at).trim() !== '') {
      pairForm.lastIndex = at;
      const found = pairForm.exec(text);
      if (found === null) return undefined;
      const [, number = '', written = ''] = found;
      const unit = /^fl/i.test(written) && /oz$/i.test(written) ? 'fl oz' : written;
      const factor = exact.get(unit) ?? loose.get(unit.toLowerCase());
      const decimal = readDecimal(number, mark, (each) => (each === '.' ? 'decimal' : 'grouping'));
      if (factor === undefined || decimal === undefined) return undefined;
      sum += Number(decimal) * factor;
      at = pairForm.lastIndex;
    }
    // Twelve digits are more than anyone measures, and fewer than binary fractions spoil.
    return at === 0 || !Number.isFinite(sum) ? undefined : Number((sum / target).toPrecision(12));
  };
}
