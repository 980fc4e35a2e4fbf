import type { NumberOrder } from './date-lexicon.ts';
import type { Phrase } from './date-phrase.ts';

/** A number or the name of a month within a date. */
export interface DatePart {
  readonly month?: number;
  readonly digits?: string;
  readonly separator: string;
  readonly label?: string;
}

/** What a group of two or three numbers and names may be, by their fields. */
const namedOrders: Readonly<Record<string, readonly string[]>> = {
  nNn: ['dMy', 'yMd'],
  Nnn: ['Mdy'],
  nnN: ['ydM'],
  nN: ['dM', 'yM'],
  Nn: ['Md', 'My'],
};

/** Returns the dates that two or three parts can be, by the orders in which dates are written. */
export function datesOf(parts: readonly DatePart[], orders: readonly NumberOrder[]): readonly Phrase[] {
  const shape = parts.map(({ month, label }) => (month === undefined && label !== 'month' ? 'n' : 'N')).join('');
  const written = shape.includes('N') ? (namedOrders[shape] ?? []) : numericOrders(parts, orders);
  return written.flatMap((order) => dateOf(order, parts) ?? []);
}

/** The orders of a date in numbers: by their labels, by a year of four digits, by the language. */
function numericOrders(elements: readonly DatePart[], orders: readonly NumberOrder[]): readonly string[] {
  const labels = elements.map(({ label }) => ({ year: 'y', month: 'M', day: 'd' })[label ?? ''] ?? '').join('');
  if (labels.length === elements.length) return [labels];
  const [first, ...others] = elements;
  const [separator = ''] = others.map((each) => each.separator);
  if (
    others.some((each) => each.separator !== separator) ||
    !['.', '/', '-'].includes(separator) ||
    first === undefined
  )
    return [];
  const isLong = (element: DatePart | undefined): boolean => element?.digits?.length === 4;
  const monthFirst = (order: NumberOrder): string => (order === 'dmy' ? 'dM' : 'Md');
  if (elements.length === 2) {
    if (isLong(first)) return separator === '-' || orders.includes('ymd') ? ['yM'] : [];
    return isLong(others[0]) ? ['My'] : orders.map(monthFirst);
  }
  if (isLong(first)) return ['yMd'];
  const written = orders.map((order) => order.replace('m', 'M'));
  // Two digits before a dash may be the year, as in ISO 8601.
  return isLong(others[1]) ? written : [...written, ...(separator === '-' ? ['yMd'] : [])];
}

function dateOf(order: string, parts: readonly DatePart[]): Phrase | undefined {
  const date: { year?: number; shortYear?: number; month?: number; day?: number } = {};
  for (const [index, { month, digits = '', label }] of parts.entries()) {
    const field = { y: 'year', M: 'month', d: 'day' }[order.charAt(index)];
    if (label !== undefined && label !== field) return undefined;
    if (field === 'month') date.month = month ?? Number(digits);
    else if (field === 'day') date.day = Number(digits);
    else if (digits.length === 4) date.year = Number(digits);
    // Two digits may be of a year only beside a day.
    else if (digits.length === 2 && order.includes('d')) date.shortYear = Number(digits);
    else return undefined;
    if (field !== 'year' && digits.length > 2) return undefined;
  }
  if ((date.month ?? 1) < 1 || (date.month ?? 1) > 12 || date.day === 0 || (date.day ?? 1) > 31) return undefined;
  return date;
}
