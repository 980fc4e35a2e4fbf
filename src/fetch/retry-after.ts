const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The three date formats of RFC 9110: its own, RFC 850's with two digits of year, and asctime's. */
const dateFormats = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/** Whatever asks for more asks for this: far beyond what is honoured, and a number like any other. */
const longestSeconds = 9_999_999_999;

/** Between the values of a header that came more than once, and not within a date. */
const betweenValues = /,(?!\s\d{2}[ -][A-Z])/;

/**
 * How long a response asks to be left alone, from its `retry-after` in seconds or as a date; `undefined` when it does
 * not say so in either form. A date is read against the response's own `date` if it has one, since clocks differ.
 * Of several values the longest counts.
 *
 * @param now - wall time.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const values = headers['retry-after']?.split(betweenValues) ?? [];
  const answeredAt = httpDate(headers['date']?.trim() ?? '', now) ?? now;
  const asked = values.map((value) => waitMs(value.trim(), answeredAt, now)).filter((ms) => ms !== undefined);
  return asked.length === 0 ? undefined : Math.max(...asked);
}

function waitMs(text: string, answeredAt: number, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Math.min(Number(text), longestSeconds) * 1_000;
  const until = httpDate(text, now);
  return until === undefined ? undefined : Math.max(0, until - answeredAt);
}

/** A two-digit year is the one that lies less than 50 years ahead. */
function httpDate(text: string, now: number): number | undefined {
  const parts = dateFormats.map((format) => format.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!parts) return undefined;
  const { day = '', month = '', year = '', time = '' } = parts;
  const [hours, minutes, seconds] = time.split(':').map(Number);
  const monthIndex = months.indexOf(month);
  if (monthIndex === -1) return undefined;
  const at = Date.UTC(fullYear(year, now), monthIndex, Number(day), hours, minutes, seconds);
  return Number.isNaN(at) ? undefined : at;
}

function fullYear(digits: string, now: number): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  const thisYear = new Date(now).getUTCFullYear();
  const guess = thisYear - (thisYear % 100) + year;
  return guess >= thisYear + 50 ? guess - 100 : guess;
}
