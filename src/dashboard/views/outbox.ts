import { html } from 'hono/html';
import type { Result } from '../../control/methods.ts';
import type { DeliveryView, SinkView, StuckView } from '../../control/methods/sink.ts';
import { durationText } from '../../time-text.ts';
import { countText } from '../../view/text.ts';
import { action } from '../parts/action.ts';
import { sinkState, sinkTable } from '../parts/sinks.ts';
import { status } from '../parts/status.ts';
import { facts, more, section, table } from '../parts/table.ts';
import { foreign, short } from '../parts/text.ts';
import { age, due } from '../parts/time.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';

/** What is told to whom: each sink and how far it is. */
export const outbox: View = {
  path: 'outbox',
  async show({ call, now }) {
    const { sinks } = await call('sink.list', {});
    return {
      title: 'Outbox',
      live: 'all',
      body: sinkTable(
        sinks,
        now,
        'No sink is defined: what changes is told to nobody. A sink is a file in the folder “sinks”.',
      ),
    };
  },
};

/** One sink: its deliveries, what failed, and what can be sent again. */
export const sink: View = {
  path: 'outbox/:id',
  async show(context) {
    const { call, place, query, now, at } = context;
    const id = place('id');
    const before = query.get('before');
    const {
      sink: view,
      deliveries,
      next,
      parked,
      dead,
      cut,
    } = await call('sink.get', {
      id,
      limit: 50,
      ...(before !== null && { before: Number(before) }),
    });
    return {
      title: `Sink ${id}`,
      heading: html`${short(id)} ${sinkState(view)}`,
      live: 'all',
      body: html`<div class="actions">${actions(context, view)}</div>
        ${facts([
          ['Kind', short(view.kind, 40)],
          ['Wants', short(view.events.join(', '), 300)],
          ['Behind', countText(view.behind, 'event')],
          ['Rests', view.quietUntil === undefined ? undefined : due(view.quietUntil, now)],
          ['Tells all of', view.syncing && short(view.syncing, 60)],
        ])}
        ${parked.length === 0 ? '' : section('waiting', 'Waiting to be tried again', stuckTable(parked, cut, 'parked', now))}
        ${dead.length === 0 ? '' : section('dead', 'Dead letters', stuckTable(dead, cut, 'dead', now))}
        ${section('deliveries', 'Deliveries', html`${deliveryTable(deliveries, now)} ${more(at, 'before', next, 'Older deliveries')}`)}`,
    };
  },
};

function actions(context: ViewContext, { id, dead }: SinkView): Html {
  return html`${action(context, { method: 'sink.test', params: { id }, label: 'Send a sample', done: 'A sample was sent; the answer says what came of it.', cli: ['sink', 'test', id] })}
  ${
    dead === 0
      ? ''
      : action(context, {
          method: 'sink.replay',
          params: { id, dead: true },
          label: 'Try dead letters again',
          done: 'They are tried again.',
          cli: ['sink', 'replay', id, '--dead'],
        })
  }
  ${action(context, {
    method: 'sink.replay',
    params: { id },
    label: 'Replay',
    inputs: html`<label>From the event <input name="from" required maxlength="100" size="16" /></label>`,
    done: 'It and all later ones are told again.',
    cli: ['sink', 'replay', id, { option: '--from', input: 'from', empty: 'EVENT' }],
  })}
  ${action(context, {
    method: 'sink.sync',
    params: { id },
    label: 'Send all records',
    inputs: html`<label>Of the type <input name="type" required maxlength="64" size="16" /></label>`,
    done: 'Each record is sent once.',
    cli: ['sink', 'sync', id, { option: '--type', input: 'type', empty: 'TYPE' }],
  })}`;
}

function stuckTable(
  stuck: readonly StuckView[],
  cut: Result<'sink.get'>['cut'],
  list: 'parked' | 'dead',
  now: number,
): Html {
  return html`${table(
    'Messages',
    stuck,
    [
      ['Message', ({ id, type }) => html`${short(id, 40)} <span class="note">${short(type, 40)}</span>`],
      ['Key', ({ key }) => short(key, 60)],
      ['Attempts', ({ attempts }) => String(attempts), { isNumber: true }],
      ['Next', ({ nextAt }) => (list === 'dead' ? 'never' : due(nextAt, now))],
      ['Why', ({ failure }) => (failure === undefined ? 'waits behind another one' : foreign(failure.message))],
    ],
    '',
  )}
  ${cut?.includes(list) === true ? html`<p class="note">And more.</p>` : ''}`;
}

function deliveryTable(deliveries: readonly DeliveryView[], now: number): Html {
  return table(
    'Deliveries',
    deliveries,
    [
      ['When', ({ at }) => age(at, now)],
      [
        'Message',
        ({ id, type, messages = 1 }) =>
          html`${short(id, 40)}
            <span class="note">${short(type, 40)}${messages > 1 ? `, ${messages} together` : ''}</span>`,
      ],
      ['Key', ({ key }) => short(key, 60)],
      ['Attempt', ({ attempt }) => String(attempt), { isNumber: true }],
      ['Took', ({ ms }) => durationText(ms), { isNumber: true }],
      [
        'Answer',
        ({ status: answered, failure }) =>
          html`${answered ?? ''}
          ${failure === undefined ? status('sent') : html`<span class="bad">${foreign(failure.message)}</span>`}`,
      ],
    ],
    'Nothing has been sent yet.',
  );
}
