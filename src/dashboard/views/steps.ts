import { html } from 'hono/html';
import type { MethodInput, Result } from '../../control/methods.ts';
import { durationText } from '../../time-text.ts';
import { StepState, StepType } from '../../view/step-entry.ts';
import type { EndedState, StepEntry } from '../../view/step-entry.ts';
import { bytesText, countText } from '../../view/text.ts';
import { action } from '../parts/action.ts';
import { filters } from '../parts/filters.ts';
import { projectLinks, scrapeLink, sourceLink, targetLabel } from '../parts/links.ts';
import { pauseAction } from '../parts/pauses.ts';
import { status, toneOf } from '../parts/status.ts';
import { facts, more, section, table } from '../parts/table.ts';
import { foreign, json, link, short, visibleText } from '../parts/text.ts';
import { age, clock } from '../parts/time.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';

/** The steps of a page. */
const shown = 100;

type Step = Result<'step.get'>;

/** Single steps, each one request and what was read from it: how many wait and run, and those that are looked for. */
export const steps: View = {
  path: 'steps',
  async show(context) {
    const { call, query, now, at } = context;
    const [source, worker, text] = ['source', 'worker', 'text'].map((name) => query.get(name) ?? '');
    const state = StepState.options.find((each) => each === query.get('state'));
    const type = StepType.options.find((each) => each === query.get('type'));
    const before = query.get('before') ?? '';
    const wanted = { ...given({ source, worker, text }), ...(state && { state }), ...(type && { type }) };
    const [counts, { steps: found, next }] = await Promise.all([
      call('step.counts', {}),
      call('step.list', { ...wanted, ...given({ before }), limit: shown }),
    ]);
    return {
      title: 'Single steps',
      live: source === undefined || source === '' ? 'all' : { source },
      body: html`${filters('steps', given({ state: state ?? '', type: type ?? '' }), [
          { name: 'source', label: 'Source', value: source ?? '' },
          { name: 'worker', label: 'Worker', value: worker ?? '' },
          { name: 'text', label: 'Text', value: text ?? '' },
        ])}
        ${tabs('States of steps', 'state', StepState.options, wanted, (each) => {
          const count = each === 'waiting' || each === 'delayed' || each === 'running' ? counts[each] : undefined;
          return count === undefined ? each : `${each} ${count}`;
        })}
        ${tabs('Types of steps', 'type', StepType.options, wanted, (each) => each)} ${stepTable(context, found)}
        ${more(at, 'before', next, 'Older steps')}
        <div class="actions">${forAll(context, wanted)} ${pauseAction(context, 'Pause all', {})}</div>`,
    };

    function stepTable(within: ViewContext, rows: readonly StepEntry[]): Html {
      return table(
        'Steps',
        rows,
        [
          ['Step', ({ id }) => html`<a href="steps/${encodeURIComponent(id)}">${short(id, 20)}</a>`],
          ['State', ({ state: is }) => status(is, toneOf(is))],
          ['Type', ({ type: of }) => of],
          [
            'Source',
            ({ source: of, target }) =>
              html`${sourceLink(of)}${target === undefined ? '' : html` ${targetLabel(target)}`}`,
          ],
          ['Address', ({ url }) => link(url)],
          ['Worker', ({ worker: who }) => short(who ?? '', 20)],
          ['Queued', ({ queuedAt, dueAt }) => age(queuedAt ?? dueAt ?? now, now)],
          ['Took', (step) => tookText(step), { isNumber: true }],
          ['Result', resultOf],
          ['', (step) => actionsOf(within, step)],
        ],
        Object.keys(wanted).length > 0 ? 'No step matches.' : 'No step has been made.',
      );
    }
  },
};

/** One step: what was asked, who ran it and when, what came of it, and the progress and the log of its scrape. */
export const step: View = {
  path: 'steps/:step',
  async show(context) {
    const { call, place, now } = context;
    const view = await call('step.get', { id: place('step') });
    const { id, state, type, source, target, scrape, method, url, queuedAt, startedAt, endedAt, dueAt } = view;
    const { turns, worker, projects, version, progress, failure, stack } = view;
    return {
      title: `Step ${id}`,
      heading: html`Step ${short(id, 20)} ${status(state)}`,
      ...(endedAt === undefined && { live: { source } }),
      body: html`${actionsOf(context, view)}
      ${facts([
        ['Request', html`${short(method, 20)} ${link(url)}`],
        ['For', type],
        ['Source', html`${sourceLink(source)}${target === undefined ? '' : html` ${targetLabel(target)}`}`],
        ['Projects', projects.length === 0 ? undefined : projectLinks(context, projects, 5)],
        [
          'Scrape',
          scrape === undefined ? undefined : html`${scrapeLink(scrape)} ${short(progressText(progress), 100)}`,
        ],
        ['Definition', version === undefined || version === '' ? undefined : html`<code>${short(version, 13)}</code>`],
        ['Due', dueAt && clock(dueAt)],
        ['Queued', queuedAt && clock(queuedAt)],
        [
          'Turn',
          startedAt &&
            html`${clock(startedAt)}${turns > 1 ? html` <span class="note">${countText(turns - 1, 'turn')} not used before</span>` : ''}`,
        ],
        ['Ended', endedAt && html`${clock(endedAt)} <span class="note">${tookText(view)}</span>`],
        ['Worker', worker && short(worker, 40)],
        ['Result', endedAt && resultOf(view)],
      ])}
      ${failure === undefined ? '' : html`<p class="outcome error">${foreign(`${failure.code}: ${failure.message}`)}</p>`}
      ${stack === undefined ? '' : html`<pre tabindex="0" role="group" aria-label="The stack of the error">${visibleText(stack)}</pre>`}
      ${section('tries', 'Tries at this address in its scrape', tryTable(view, now))}
      ${section('log', 'Log of its scrape', logTable(view, now))}
      ${section('json', 'As JSON', json(view, 'The step as JSON'))}`,
    };
  },
};

function tryTable({ tries }: Step, now: number): Html {
  return table(
    'Tries',
    tries,
    [
      ['Step of the scrape', (each) => String(each.step)],
      ['When', ({ at }) => age(at, now)],
      ['Took', ({ elapsedMs }) => durationText(elapsedMs), { isNumber: true }],
      [
        'Answer',
        ({ status: answered, failure }) =>
          html`${answered ?? ''} ${failure === undefined ? '' : short(failure.message, 120)}`,
      ],
      ['Notes', ({ notes = [] }) => foreign(notes.join('; '))],
    ],
    'Its scrape has written none.',
  );
}

function logTable({ log }: Step, now: number): Html {
  return table(
    'Log',
    log,
    [
      ['When', ({ at }) => age(at, now)],
      ['Level', ({ level }) => status(level, level === 'error' ? 'bad' : level === 'warn' ? 'warn' : '')],
      ['Line', ({ text }) => foreign(text)],
    ],
    'No line is remembered.',
  );
}

/** What can be done with a step: it can be revoked before its end, and tried again after it; a target that waits can be asked first. */
function actionsOf(context: ViewContext, { id, endedAt, dueAt, target, type, state }: StepEntry): Html {
  const promote =
    dueAt !== undefined &&
    action(context, {
      method: 'step.promote',
      params: { id },
      label: 'Promote',
      done: 'It takes the next turn of its host.',
      cli: ['steps', 'promote', id],
    });
  const revoke =
    endedAt === undefined &&
    state !== 'delayed' &&
    action(context, {
      method: 'step.revoke',
      params: { id },
      label: 'Revoke',
      done: 'It is revoked.',
      cli: ['steps', 'revoke', id],
      confirm: 'It is not made, or is cut; its scrape is cancelled.',
      tone: 'danger',
    });
  const retry =
    endedAt !== undefined &&
    (target !== undefined || type === 'pulse') &&
    action(context, {
      method: 'step.retry',
      params: { id },
      label: 'Retry',
      done: 'It is asked for again.',
      cli: ['steps', 'retry', id],
    });
  return html`<div class="actions">${[promote, retry, revoke].map((each) => (each === false ? '' : each))}</div>`;
}

/** What can be done with all steps of the state that is shown. */
function forAll(context: ViewContext, { state, source }: Pick<MethodInput<'step.list'>, 'state' | 'source'>): Html {
  if (state === undefined || !isEnded(state)) return html``;
  const of = { state, ...(source !== undefined && { source }) };
  const words = [state, ...(source === undefined ? [] : ['--source', source])];
  return html`${
    state === 'done'
      ? ''
      : action(context, {
          method: 'step.retry',
          params: of,
          label: 'Retry all',
          done: 'The targets of all are asked for again.',
          cli: ['steps', 'retry', ...words],
        })
  }
  ${action(context, {
    method: 'step.clean',
    params: of,
    label: 'Clean',
    done: 'They are removed from the list.',
    cli: ['steps', 'clean', ...words],
    confirm: 'They are removed from the list. Scrapes, records and their history stay.',
    tone: 'danger',
  })}`;
}

function isEnded(state: StepState): state is EndedState {
  return state !== 'waiting' && state !== 'delayed' && state !== 'running';
}

function tabs<T extends string>(
  name: string,
  field: string,
  options: readonly T[],
  wanted: Readonly<Record<string, unknown>>,
  textOf: (option: T) => string,
): Html {
  const others = Object.entries(wanted).filter(([key]) => key !== field);
  const tab = (option: T | undefined) => {
    const query = new URLSearchParams(Object.fromEntries(others.map(([key, value]) => [key, String(value)])));
    if (option !== undefined) query.set(field, option);
    const isCurrent = wanted[field] === option;
    return html`<a href="steps?${query.toString()}" ${isCurrent ? html`aria-current="true"` : ''}
      >${option === undefined ? 'all' : textOf(option)}</a
    >`;
  };
  return html`<nav class="tabs" aria-label="${name}">${tab(undefined)} ${options.map((option) => tab(option))}</nav>`;
}

/** The texts that are not empty. */
function given(texts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).flatMap(([name, text = '']) => (text === '' ? [] : [[name, text]])));
}

function progressText(progress: Step['progress']): string {
  if (progress === undefined) return '';
  const { added, changed, confirmed } = progress.counts;
  return `${progress.status} after ${countText(progress.steps, 'step')} with ${countText(added + changed + confirmed, 'record')}`;
}

function tookText({ startedAt, endedAt }: StepEntry): string {
  return startedAt === undefined || endedAt === undefined ? '' : durationText(endedAt - startedAt);
}

function resultOf({ status: answered, bytes, records, failure }: StepEntry): Html {
  const parts = [
    ...(answered === undefined ? [] : [String(answered)]),
    ...(bytes === undefined ? [] : [bytesText(bytes)]),
    ...(records === undefined ? [] : [countText(records, 'record')]),
  ];
  return html`${parts.join(', ')}
  ${failure === undefined ? '' : html`<span class="bad">${short(failure.message, 120)}</span>`}`;
}
