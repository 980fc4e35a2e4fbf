import { DateTime, Info } from 'luxon';
import { Imprecise, Refused } from './field-type.ts';
import { type DateOptions, readFormatted, writtenPrecision } from './date-format.ts';
import { spend } from '../../work-budget.ts';
import { dateLexicon } from './intl-date-lexicon.ts';
import { phrasesOf } from './date-phrase.ts';
import { type Missing, type Precision, type Resolved, resolved, type Wrong } from './date-resolve.ts';

/** What is read of a date: its day, or an instant of UTC with milliseconds. */
type Wanted = 'day' | 'instant';

/** The work of reading what programs write. */
const machineSteps = 1_000;

type Read = string | Refused | Imprecise | undefined;

/**
 * Reads a date: by the first format that fits; without formats as ISO 8601 or RFC 2822, and as the people of a locale write it. A text
 * that may be read in several ways is refused.
 *
 * @param observedAt - the instant that "3 days ago" counts from, wall time.
 */
export function readDate(text: string, wanted: Wanted, options: DateOptions, observedAt: number | undefined): Read {
  if (options.formats !== undefined) {
    const found = readFormatted(text, options);
    return found && told(found, wanted);
  }
  spend(machineSteps);
  const zone = Info.normalizeZone(options.zone ?? 'utc');
  const machine = machineForm(text, wanted, options.zone ?? 'utc');
  if (machine !== undefined) return told(machine, wanted);
  if (options.locale === undefined) return undefined;
  const { prefer } = options;
  const found = phrasesOf(text, dateLexicon(options.locale)).flatMap(
    (phrase) => resolved(phrase, { observedAt, zone, prefer }) ?? [],
  );
  return only(found, wanted);
}

/** Reads an instant that a program has written, with or without seconds, as UTC with milliseconds. Without an offset it is in UTC. */
export function readInstant(text: string): string | undefined {
  const found = machineForm(text, 'instant', 'utc');
  return found && valueOf(found, 'instant');
}

/** The one date among several readings of a text, if they agree. */
function only(found: readonly (Resolved | Missing | Wrong)[], wanted: Wanted): Read {
  const [missing] = found.flatMap((each) => ('missing' in each ? [each.missing] : []));
  const [wrong] = found.flatMap((each) => ('wrong' in each ? [each.wrong] : []));
  const dates = found.flatMap((each) => ('at' in each ? [each] : []));
  const [first] = dates;
  const lacks = missing ?? wrong;
  if (first === undefined) return lacks === undefined ? undefined : new Refused(lacks);
  const values = new Set(dates.map((each) => valueOf(each, wanted)));
  if (values.size > 1)
    return new Refused(
      `one date, not ${[...values].slice(0, 3).join(' or ')}: give \`formats\`, or a \`locale\` with its region`,
    );
  return missing === undefined ? told(first, wanted) : new Refused(missing);
}

function told(found: Resolved, wanted: Wanted): Read {
  if (found.isUnsure && wanted === 'instant') return new Refused('a time that the clocks of its zone show once');
  const value = valueOf(found, wanted);
  const usual: readonly Precision[] = wanted === 'day' ? ['day', 'hour', 'minute', 'second'] : ['second'];
  return usual.includes(found.precision) ? value : new Imprecise(value, found.precision);
}

const ofTimes: readonly Precision[] = ['hour', 'minute', 'second'];

function valueOf({ at, precision }: Resolved, wanted: Wanted): string {
  if (wanted === 'day') return at.toISODate() ?? '';
  return (ofTimes.includes(precision) ? at : at.startOf('day')).toUTC().toISO() ?? '';
}

const isoForm =
  /^\d{4}-\d\d(?:-\d\d(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::\d\d(?:[.,]\d{1,9})?)? ?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?)?$/i;
const mailForm = /^(?:[a-z]{3}, )?\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::\d\d)? (?:[+-]\d{4}|GMT|UTC?|[EMP][SD]T)$/i;

/** What `Date.prototype.toString` writes, with the name of the zone in any language. */
const scriptForm = /^([A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d) GMT([+-]\d{4})(?: \([^()]*\))?$/;

/** The two older forms of dates in HTTP: `Saturday, 21-Nov-26 10:00:00 GMT` and `Sat Nov 21 10:00:00 2026`. */
const httpForms = [
  /^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4}$/,
];

/** Writes a date in the extended form of ISO 8601: of the form without marks, with `/` between year, month and day, or with `UTC` behind the time. */
function extendedForm(text: string): string {
  return text
    .replace(/^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d{4})?)?$/, (_, ...found: (string | undefined)[]) => {
      const [year, month, day, hour, minute, second, offset = ''] = found;
      const time =
        hour === undefined ? '' : `T${[hour, minute, second].filter((part) => part !== undefined).join(':')}`;
      return `${year}-${month}-${day}${time}${offset}`;
    })
    .replace(/^(\d{4})\/(\d\d)\/(\d\d)(?=$|[T ])/, '$1-$2-$3')
    .replace(/^(\d{4}-\d\d-\d\d[T ][\d:.,]+) ?(?:UTC|GMT)$/, '$1Z');
}

/** Reads what programs write. A day without a time is no instant. */
function machineForm(given: string, wanted: Wanted, zone: string): Resolved | undefined {
  const text = extendedForm(given);
  if (httpForms.some((form) => form.test(text))) {
    const at = DateTime.fromHTTP(text.replaceAll(/ (?=\d )/g, '  '));
    return at.isValid ? { at, precision: 'second', isUnsure: false } : undefined;
  }
  const [, script, offset] = scriptForm.exec(text) ?? [];
  if (script !== undefined) {
    const at = DateTime.fromFormat(`${script} ${offset}`, 'ccc LLL dd yyyy HH:mm:ss ZZZ', {
      locale: 'en',
      setZone: true,
    });
    return at.isValid ? { at, precision: 'second', isUnsure: false } : undefined;
  }
  const isIso = isoForm.test(text);
  if (!isIso && !mailForm.test(text)) return undefined;
  if (wanted === 'instant' && !text.includes(':')) return undefined;
  const written = text
    .replace(/^([\d-]+) /, '$1T')
    .replaceAll(' ', isIso ? '' : ' ')
    .toUpperCase();
  const at = isIso ? DateTime.fromISO(written, { zone, setZone: true }) : DateTime.fromRFC2822(text, { setZone: true });
  if (!at.isValid || at.year < 1) return undefined;
  const isLocal = isIso && !/(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(text.slice(10));
  const isUnsure = isLocal && (at.getPossibleOffsets().length > 1 || !written.includes(at.toFormat('HH:mm')));
  return { at, precision: writtenPrecision(text), isUnsure };
}
