import type { Event } from './catalogue.ts';
import type { HistoryView } from '../view/record.ts';

/** The members of an event that tells a change, besides those of the change. */
export interface Telling {
  /** Wall time of the commit. */
  readonly at: number;
  /** The active projects that watched the target then. */
  readonly projects: readonly string[];
  /** The id that the source had then. */
  readonly source: string;
}

/** Makes the event of a change of a record, in version 1 of the form of events. */
export function recordEvent(
  { serial: id, target, scrape, kind, type, key, fields, wasHeld }: HistoryView,
  { at, projects, source }: Telling,
): Event {
  const subjects = { projects, source, target };
  switch (kind) {
    case 'added':
    case 'changed': {
      const data = { type, key, fields };
      const of = { ...subjects, ...(scrape > 0 && { scrape }) };
      return kind === 'added'
        ? { id, version: 1, at, type: 'record.added', ...of, data }
        : { id, version: 1, at, type: 'record.changed', ...of, data: { ...data, ...(wasHeld && { wasHeld }) } };
    }
    case 'missing':
    case 'gone':
      return { id, version: 1, at, type: `record.${kind}`, ...subjects, scrape, data: { type, key } };
    default:
      return kind satisfies never;
  }
}
