import { html } from 'hono/html';
import type { DeliveryView, SinkView } from '../../control/methods/sink.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import { foreign, short } from './text.ts';
import { age, due } from './time.ts';
import type { Html } from './view.ts';

/** From this attempt on, a message that fails again is for a person to look at. */
const manyAttempts = 3;

/** Whether a person has to look at a sink: its newest message failed for good, or time and again. */
export function isStuck({ last }: SinkView): boolean {
  return last?.failure !== undefined && (last.failure.isFinal === true || last.attempt >= manyAttempts);
}

/** Shows how a sink is. One whose newest message failed is not well, though its actor runs. */
export function sinkState({ state, last, parked, quietUntil, dead }: SinkView): Html {
  const isFailing = state === 'running' && last?.failure !== undefined;
  return html`${isFailing ? status('fails', 'bad') : status(state)}
  ${parked === 0 || isFailing ? '' : status('tries again', 'warn')}
  ${quietUntil === undefined ? '' : status('rests', 'warn')} ${dead === 0 ? '' : status('dead letters', 'bad')}`;
}

/** Lists sinks, and how far each is. */
export function sinkTable(sinks: readonly SinkView[], now: number, empty: string): Html {
  return table(
    'Sinks',
    sinks,
    [
      [
        'Sink',
        ({ id, kind }) =>
          html`<a href="outbox/${encodeURIComponent(id)}">${short(id)}</a>
            <span class="note">${short(kind, 40)}</span>`,
      ],
      ['State', (sink) => sinkState(sink)],
      ['Behind', ({ behind }) => String(behind), { isNumber: true }],
      ['Waiting', ({ parked }) => String(parked), { isNumber: true }],
      [
        'Dead letters',
        ({ dead }) => (dead === 0 ? '0' : html`<span class="bad">${String(dead)}</span>`),
        { isNumber: true },
      ],
      ['Rests until', ({ quietUntil }) => (quietUntil === undefined || quietUntil <= now ? '' : due(quietUntil, now))],
      ['Last', ({ last }) => (last === undefined ? 'nothing yet' : lastOf(last, now))],
    ],
    empty,
  );
}

function lastOf({ at, failure, type }: DeliveryView, now: number): Html {
  return html`${short(type, 40)} ${age(at, now)}
  ${failure === undefined ? '' : html`<span class="bad">${foreign(failure.message)}</span>`}`;
}
