import { defined } from '../defined.ts';
import type { Event } from '../event/catalogue.ts';
import { ageText } from '../time-text.ts';
import { showChange } from './show-change.ts';
import { countsText, failureText } from './show-scrape.ts';
import type { Terminal } from './terminal.ts';
import { countText, projectsText, valueText } from '../view/text.ts';

/** Formats an event on one line. */
export function showEvent(terminal: Terminal, event: Event): string {
  const where = [event.projects && projectsText(event.projects), event.source]
    .filter((part) => part !== undefined)
    .join(' ');
  const when = new Date(event.at).toISOString().slice(11, 19);
  return `${terminal.paint('dim', `${event.id} ${when}`)}  ${event.type}  ${where}  ${dataTexts(terminal, event).join('  ')}`.trimEnd();
}

/** The parts of an event's data: in words where their meaning is known, else as `name=value`. */
function dataTexts(terminal: Terminal, event: Event): string[] {
  switch (event.type) {
    case 'record.added':
    case 'record.changed': {
      const { fields, ...record } = event.data;
      return [
        ...namedTexts(record),
        ...Object.entries(fields).map(([name, change]) => `${name}: ${showChange(terminal, change)}`),
      ];
    }
    case 'scrape.completed':
    case 'scrape.failed':
    case 'scrape.aborted':
    case 'scrape.cancelled': {
      const { reason, steps, counts, errors, repeated, endReason, failure } = event.data;
      return [
        ...namedTexts({ reason }),
        countText(steps, 'step'),
        countsText(counts),
        ...(errors === undefined ? [] : [countText(errors, 'error')]),
        ...(repeated === undefined ? [] : [countText(repeated, 'repeated key')]),
        ...namedTexts(defined({ endReason })),
        ...(failure === undefined ? [] : [failureText(failure)]),
      ];
    }
    case 'target.parked':
    case 'actor.gave_up': {
      const { retryAt, times, ...rest } = event.data;
      return [...namedTexts(rest), `tried again ${ageText(retryAt, terminal.now())}`, ...namedTexts({ times })];
    }
    default:
      return namedTexts(event.data);
  }
}

function namedTexts(values: object): string[] {
  return Object.entries(values).map(([name, value]) => `${name}=${valueText(value)}`);
}
