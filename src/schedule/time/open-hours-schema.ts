import * as z from 'zod';
import type { OpenHours } from './open-hours.ts';
import { isZone } from './zone.ts';
import { expected, got } from '../../schema/expected.ts';
import { nearName } from '../../schema/near-name.ts';
import { strict } from '../../schema/strict.ts';

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const allDays = [1, 2, 3, 4, 5, 6, 7];
const hoursForm = /^([01]\d|2[0-3]):([0-5]\d)-(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/;

/** The name of a time zone that has its summer times, or `UTC`. */
export const Zone = z.string().refine(isZone, { error: ({ input }) => zoneRefusal(String(input)) });

const Weekday = z.enum(weekdays);

const notOpening = expected('hours that end at another time than they begin');

/** `06:00-08:00`; `22:00-04:00` ends on the next day. */
const Hours = z
  .string()
  .regex(hoursForm, expected('hours like "06:00-08:00"'))
  .refine((text) => !hoursForm.test(text) || isOpening(minutesOf(text)), notOpening);

/** Hours in which a source may be asked, as a control method gives them. */
export const OpenHoursInput = z
  .strictObject({
    days: z
      .array(z.int().min(1).max(7))
      .min(1)
      .max(7)
      .readonly()
      .describe('The weekdays, 1 for Monday to 7 for Sunday.'),
    fromMinute: z.int().min(0).max(1_439).describe('When the hours begin, in minutes after midnight.'),
    toMinute: z
      .int()
      .min(0)
      .max(1_440)
      .describe(
        'When the hours end, in minutes after midnight: of the next day where it is less than `fromMinute`, to which it is never equal.',
      ),
    zone: Zone.describe('The time zone by whose clocks the hours go, such as `Europe/Berlin`.'),
  })
  .refine(isOpening, notOpening);

/** When a source may be asked, as a control method gives it. */
export const AvailableInput = z.array(OpenHoursInput).min(1).max(480).readonly();

const Opening = strict({
  /** The days on which it opens. Default: all. */
  days: z.array(Weekday).min(1).max(7).exactOptional(),
  /** Default: the whole day. */
  hours: z.union([Hours, z.array(Hours).min(1).max(24)]).exactOptional(),
  /** Whose clocks they go by. */
  zone: Zone.default('UTC'),
}).refine(({ days, hours }) => days !== undefined || hours !== undefined, expected('days, hours or both'));

/** When a source may be asked: one opening or a list of them; any of them opens. */
export const Available = z
  .union([Opening, z.array(Opening).min(1).max(20)])
  .transform((given): readonly OpenHours[] => (Array.isArray(given) ? given : [given]).flatMap(openHours));

function openHours({ days, hours = '00:00-24:00', zone }: z.infer<typeof Opening>): OpenHours[] {
  const numbers = days?.map((day) => weekdays.indexOf(day) + 1) ?? allDays;
  return (typeof hours === 'string' ? [hours] : hours).map((text) => {
    const { fromMinute, toMinute } = minutesOf(text);
    return { days: numbers, fromMinute, toMinute, zone };
  });
}

/** Hours as a file has them on one line, without what is the default: `[{ days: [sat, sun], hours: "12:00-13:00" }]`. */
export function writtenHours(hours: readonly OpenHours[]): string {
  return `[${hours.map(writtenOpening).join(', ')}]`;
}

function writtenOpening({ days, fromMinute, toMinute, zone }: OpenHours): string {
  const isDaily = allDays.every((day) => days.includes(day));
  const isWhole = fromMinute === 0 && toMinute === 1_440;
  const parts = [
    ...(isDaily ? [] : [`days: [${days.map((day) => weekdays[day - 1]).join(', ')}]`]),
    ...(isWhole && !isDaily ? [] : [`hours: "${clockText(fromMinute)}-${clockText(toMinute)}"`]),
    ...(zone === 'UTC' ? [] : [`zone: ${zone}`]),
  ];
  return `{ ${parts.join(', ')} }`;
}

function clockText(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

function isOpening({ fromMinute, toMinute }: Pick<OpenHours, 'fromMinute' | 'toMinute'>): boolean {
  return fromMinute !== toMinute;
}

function minutesOf(text: string): Pick<OpenHours, 'fromMinute' | 'toMinute'> {
  const [fromMinute = 0, toMinute = 0] = text.split('-').map(minuteOf);
  return { fromMinute, toMinute };
}

function minuteOf(text: string): number {
  const [hour = 0, minute = 0] = text.split(':').map(Number);
  return hour * 60 + minute;
}

function zoneRefusal(input: string): string {
  const near = nearName(input, Intl.supportedValuesOf('timeZone'));
  return `${got(input, 'a time zone like "Europe/Berlin"')}${near === undefined ? '' : `; did you mean "${near}"?`}`;
}
