import * as z from 'zod';
import { Duration } from '../schema/duration.ts';
import { expected } from '../schema/expected.ts';
import { Command, type ProgramCommand, programCommand } from '../schema/program-command.ts';
import { FieldName } from '../schema/slug.ts';
import { strict } from '../schema/strict.ts';

/** A calendar day, `2016-03-05`. */
export const CalendarDay = z.iso.date('expected a day like "2016-03-05"');

/**
 * A register that is read in windows of days, from the newest known date to today; or, with `command`, a program that finds the records; or,
 * beside a plug-in, only the dates that its `collect` is told.
 */
export const Collect = strict({
  /** A program that prints one record a line of JSON. */
  command: Command.exactOptional(),
  /** The record whose date fields say how far it has come: the least of their newest values counts. */
  since: strict({ record: FieldName, fields: z.array(FieldName).min(1).max(10) }).exactOptional(),
  /** The first day of the first window, while nothing is known. */
  start: CalendarDay.exactOptional(),
  /** A window's last day lies so many days after its first. */
  window: z.int().min(1).max(3_660).default(100),
  /** Days before the newest date that are read again. */
  overlap: z.int().min(0).max(3_660).default(0),
  /** The pause between two windows. */
  pause: Duration.prefault('1s'),
  /** Query parameters of a window's address, in which `{from}` and `{to}` stand for its first and last day. */
  query: z
    .record(z.string().min(1).max(100), z.string().max(1_000))
    .default({ from: '{from}', to: '{to}' })
    .refine(
      (query) => ['{from}', '{to}'].every((mark) => Object.values(query).some((value) => value.includes(mark))),
      expected('"{from}" and "{to}" somewhere among the values'),
    ),
  /** How a day is written there, in the tokens of Luxon. */
  format: z.string().min(1).max(50).default('yyyy-MM-dd'),
});
export type Collect = z.infer<typeof Collect>;

/** A register that is read in windows of days. */
export type Register = Collect & Required<Pick<Collect, 'since' | 'start'>>;

/** A source, as far as it says how it is collected. */
interface Collecting {
  readonly collect?: Collect;
  readonly plugin?: string;
}

/** Returns the register that a source is; undefined for any other source. */
export function registerOf({ collect, plugin }: Collecting): Register | undefined {
  if (plugin !== undefined || collect?.command !== undefined) return undefined;
  const { since, start } = collect ?? {};
  return collect !== undefined && since !== undefined && start !== undefined ? { ...collect, since, start } : undefined;
}

/** Returns the command of the program that collects a source; undefined for any other source. */
export function programOf({ collect }: Collecting): ProgramCommand | undefined {
  return collect?.command === undefined ? undefined : programCommand(collect.command);
}
