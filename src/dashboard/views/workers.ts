import { html } from 'hono/html';
import type { WorkerScale, WorkerView } from '../../control/methods/worker.ts';
import { isHeldUp, queuesText, type QueuesView } from '../../view/queues.ts';
import { rateText } from '../../view/text.ts';
import { action } from '../parts/action.ts';
import { sourceLink, targetLabel } from '../parts/links.ts';
import { status } from '../parts/status.ts';
import { section, table } from '../parts/table.ts';
import { foreign, link, short } from '../parts/text.ts';
import { age } from '../parts/time.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';

/** The worker processes that ask and read for the daemon, and what they can be told. */
export const workers: View = {
  path: 'workers',
  async show(context) {
    const { call, now } = context;
    const [{ engine, workers: found, scale, queues }, { version }] = await Promise.all([
      call('worker.list', {}),
      call('daemon.status', {}),
    ]);
    return {
      title: 'Workers',
      live: 'all',
      body: html`${queues === undefined ? '' : queuesLine(queues, version, now)}${scale === undefined ? '' : scaleOf(context, scale)}${table(
        'Worker processes',
        found,
        [
          ['Worker', ({ id }) => short(id, 40)],
          ['State', stateOf],
          ['Machine', ({ host, pid }) => html`${short(host, 40)} <span class="note">${String(pid)}</span>`],
          ['Queue', ({ queues }) => short(queues.join(', '), 60)],
          ['Steps', slotsOf, { isNumber: true }],
          ['Run', ({ processed }) => processed, { isNumber: true }],
          ['Failed', ({ failed }) => failed, { isNumber: true }],
          [
            'A minute',
            ({ perMinute }) => (perMinute === undefined ? '' : rateText(perMinute.processed)),
            { isNumber: true },
          ],
          ['Heard', ({ heardAt }) => age(heardAt, now)],
          ['Started', ({ startedAt }) => age(startedAt, now)],
          ['Version', ({ version }) => short(version, 20)],
          ['', (worker) => actionsOf(context, worker)],
        ],
        engine === 'local'
          ? 'The daemon asks and reads itself. With “engine” in heronry.yaml, worker processes do so, on any number of machines.'
          : 'No worker process is there, so that nothing is asked. The command “heronry worker” runs one.',
      )}${found.length === 0 ? '' : section('steps', 'Steps that they run', stepTable(found, now))}`,
    };
  },
};

/** Whether steps can be handed to worker processes. */
function queuesLine(queues: QueuesView, version: string, now: number): Html {
  return html`<p>
    ${status('queues', isHeldUp(queues) ? 'bad' : 'good')} ${foreign(queuesText(queues, version, now))}
  </p>`;
}

/** The steps that are active, by worker process, those that have run longest first. */
function stepTable(found: readonly WorkerView[], now: number): Html {
  return table(
    'Active steps',
    found.flatMap(({ online, steps }) => (online ? steps : [])),
    [
      ['Step', ({ id }) => html`<a href="steps/${encodeURIComponent(id)}">${short(id, 20)}</a>`],
      ['Worker', ({ worker }) => short(worker ?? '', 40)],
      ['Type', ({ type }) => type],
      [
        'Source',
        ({ source, target }) => html`${sourceLink(source)}${target === undefined ? '' : html` ${targetLabel(target)}`}`,
      ],
      ['Address', ({ url }) => link(url)],
      ['Turn', ({ startedAt }) => age(startedAt ?? now, now)],
    ],
    'None runs a step.',
  );
}

function slotsOf({ id, active, concurrency }: WorkerView): Html {
  const text = `${active} of ${concurrency}`;
  return active === 0
    ? html`${text}`
    : html`<a href="steps?worker=${encodeURIComponent(id)}&amp;state=running">${text}</a>`;
}

/** How many are wanted, and the limits of that, which may be changed. */
function scaleOf(context: ViewContext, { min, max, wanted, by, own, configured }: WorkerScale): Html {
  const limit = (name: 'min' | 'max', label: string, value: number) =>
    html`<label
      >${label} <input name="${name}" type="number" min="0" max="1000" value="${String(value)}" required
    /></label>`;
  const who = by === 'daemon' ? `The daemon has started ${own} itself.` : 'Others start and end them.';
  return html`<p>
      ${String(wanted)} wanted by the backlog, at least ${String(min)} and at most ${String(max)}.
      ${configured === undefined ? '' : `These limits were set by a command; heronry.yaml says ${configured.min} to ${configured.max}.`}
      ${who}
    </p>
    <div class="actions">
      ${action(context, {
        method: 'worker.scale',
        label: 'Scale',
        inputs: html`${limit('min', 'At least', min)}${limit('max', 'At most', max)}`,
        done: 'So many are wanted from now on.',
        cli: [
          ...['workers', 'scale'],
          { input: 'min', option: '--min', value: String(min) },
          { input: 'max', option: '--max', value: String(max) },
        ],
      })}
      ${
        configured === undefined
          ? ''
          : action(context, {
              method: 'worker.scale',
              params: { reset: true },
              label: 'Reset',
              done: 'The limits of heronry.yaml hold again.',
              cli: ['workers', 'scale', '--reset'],
            })
      }
    </div>`;
}

function stateOf({ online, draining }: WorkerView): Html {
  if (!online) return status('away', 'bad');
  return draining ? status('draining', 'warn') : status('running', 'good');
}

function actionsOf(context: ViewContext, { id, concurrency, online, draining }: WorkerView): Html | '' {
  if (!online) return '';
  return html`<div class="actions">
    ${action(context, {
      method: 'worker.resize',
      params: { id },
      label: 'Resize',
      inputs: html`<label
        >Steps at a time
        <input name="concurrency" type="number" min="1" max="9999" value="${String(concurrency)}" required
      /></label>`,
      done: 'It is told to run so many steps at a time.',
      cli: ['workers', 'resize', id, { input: 'concurrency', value: String(concurrency), empty: 'STEPS' }],
    })}
    ${draining ? '' : action(context, { method: 'worker.drain', params: { id }, label: 'Drain', done: 'It is told to take no further step.', cli: ['workers', 'drain', id] })}
    ${action(context, {
      method: 'worker.stop',
      params: { id },
      label: 'Stop',
      done: 'It is told to end in order.',
      cli: ['workers', 'stop', id],
      confirm:
        'It ends in order. One that the daemon has started is replaced by another; others are not started again.',
      tone: 'danger',
    })}
  </div>`;
}
