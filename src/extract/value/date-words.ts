import type { Duration } from './date-lexicon.ts';

/** Words of the dates of one language that `Intl` does not have, in lower case and without points behind letters; blanks part the words of a text. */
export interface ExtraWords {
  /** Words that change nothing. */
  readonly fill?: string;
  /** Words behind the number of a year. */
  readonly years?: string;
  /** Words for the whole numbers from one on; those for one number have `|` between them. */
  readonly numbers?: string;
  /** Letters behind a number that make it an ordinal: `st nd rd th`. */
  readonly ordinals?: string;
  /** Words before or behind an amount of time that tell its direction. */
  readonly past?: readonly (readonly [before: string, behind: string])[];
  readonly future?: readonly (readonly [before: string, behind: string])[];
  readonly units?: Readonly<Record<string, Duration>>;
  /** Phrases that stand for an amount of time before or behind the present. */
  readonly phrases?: Readonly<Record<string, Duration>>;
  readonly clocks?: Readonly<Record<string, number>>;
  /** Names of the months and of the days of the week, from Monday on. */
  readonly months?: Readonly<Record<string, number>>;
  readonly weekdays?: Readonly<Record<string, number>>;
}

/** What `Intl` lacks, by language. Other languages are read with the words of `Intl` alone. */
export const extraWords: Readonly<Record<string, ExtraWords>> = {
  en: {
    fill: 'at on by the of and about around approximately approx',
    numbers: 'one|a|an two three four five six seven eight nine ten eleven twelve',
    ordinals: 'st nd rd th',
    future: [
      ['in', 'time'],
      ['', 'from now'],
      ['', 'later'],
    ],
    units: {
      yr: ['year', 1],
      yrs: ['year', 1],
      mon: ['month', 1],
      mons: ['month', 1],
      wk: ['week', 1],
      wks: ['week', 1],
      hr: ['hour', 1],
      hrs: ['hour', 1],
      min: ['minute', 1],
      mins: ['minute', 1],
      sec: ['second', 1],
      secs: ['second', 1],
      decade: ['year', 10],
      decades: ['year', 10],
      fortnight: ['week', 2],
      fortnights: ['week', 2],
    },
    phrases: {
      'the day before yesterday': ['day', -2],
      'day before yesterday': ['day', -2],
      'the day after tomorrow': ['day', 2],
      'day after tomorrow': ['day', 2],
      'just now': ['second', 0],
      'last decade': ['year', -10],
      'next decade': ['year', 10],
    },
    clocks: { noon: 12, midnight: 0 },
    weekdays: { tues: 2, thur: 4, thurs: 4 },
  },
  de: {
    fill: 'am um den der und etwa ungefähr ca circa gegen',
    future: [['im', '']],
    numbers: 'ein|eine|einem|einer|einen|eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
    phrases: {
      'gerade eben': ['second', 0],
      soeben: ['second', 0],
      vorvorgestern: ['day', -3],
      überübermorgen: ['day', 3],
    },
    clocks: { mittags: 12, mitternacht: 0 },
    months: { jänner: 1, feber: 2, mrz: 3 },
    weekdays: { sonnabend: 6 },
  },
  fr: {
    fill: "le la à a de du et environ vers d'",
    numbers: 'un|une deux trois quatre cinq six sept huit neuf dix onze douze',
    ordinals: 'er re e',
    past: [['il ya', '']],
    future: [['en', '']],
    phrases: { "à l'instant": ['second', 0] },
    clocks: { midi: 12, minuit: 0 },
    units: { année: ['year', 1], années: ['year', 1] },
  },
  es: {
    fill: 'el la las los de del a y en aproximadamente cerca',
    future: [['en', '']],
    numbers: 'un|una|uno dos tres cuatro cinco seis siete ocho nueve diez once doce',
    phrases: { 'ahora mismo': ['second', 0], antier: ['day', -2] },
    clocks: { mediodía: 12, medianoche: 0 },
    months: { set: 9, setiembre: 9 },
    weekdays: { lu: 1, ma: 2, mi: 3, ju: 4, vi: 5, sa: 6, do: 7 },
  },
  ru: {
    fill: 'в во г года год и около примерно',
    years: 'г год года',
    future: [['спустя', '']],
    numbers:
      'один|одну|одна|одного два|две|двое три|трое четыре пять шесть семь восемь девять десять одиннадцать двенадцать',
    phrases: { 'только что': ['second', 0], послепослезавтра: ['day', 3] },
    clocks: { полдень: 12, полночь: 0 },
    weekdays: { пнд: 1, пон: 1, втр: 2, срд: 3, чтв: 4, птн: 5, сбт: 6, вск: 7, воскресение: 7 },
  },
};

/** The offsets, in hours, of the names of time zones that mean one offset wherever they are written. */
export const zoneOffsets: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  z: 0,
  est: -5,
  edt: -4,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  cet: 1,
  cest: 2,
  eet: 2,
  eest: 3,
  wet: 0,
  mez: 1,
  mesz: 2,
  msk: 3,
  мск: 3,
  jst: 9,
  aest: 10,
  aedt: 11,
};
