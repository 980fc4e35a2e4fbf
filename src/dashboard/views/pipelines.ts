import { html } from 'hono/html';
import type { PipelineView } from '../../control/methods/pipeline.ts';
import { durationText } from '../../time-text.ts';
import type { JobView, RunView } from '../../view/pipeline.ts';
import { valueText } from '../../view/text.ts';
import { action } from '../parts/action.ts';
import { status } from '../parts/status.ts';
import { type Column, facts, more, section, table } from '../parts/table.ts';
import { foreign, short } from '../parts/text.ts';
import { age, due } from '../parts/time.ts';
import type { Html, View, ViewContext } from '../parts/view.ts';

/** The pipelines and their last runs. */
export const pipelines: View = {
  path: 'pipelines',
  async show(context) {
    const { call, now } = context;
    const { pipelines: found } = await call('pipeline.list', {});
    return {
      title: 'Pipelines',
      live: 'all',
      body: table(
        'Pipelines',
        found,
        [
          ['Pipeline', ({ id }) => html`<a href="pipelines/${encodeURIComponent(id)}">${short(id)}</a>`],
          ['State', stateOf],
          ['Next', (pipeline) => nextOf(pipeline, now) ?? ''],
          ['Jobs', ({ jobs }) => jobs.length, { isNumber: true }],
          ['Last run', ({ last }) => (last === undefined ? '' : html`${String(last.run)} ${runState(last)}`)],
          ['Began', ({ last }) => (last === undefined ? '' : age(last.beganAt, now))],
          ['Took', ({ last }) => (last === undefined ? '' : durationText(last.durationMs)), { isNumber: true }],
          ['', (pipeline) => html`<div class="actions">${actionsOf(context, pipeline)}</div>`],
        ],
        'No pipeline is defined. A pipeline is a file in the folder “pipelines”, which says which jobs run after each other.',
      ),
    };
  },
};

/** One pipeline: the jobs of its last run, or of another one, and its runs. */
export const pipeline: View = {
  path: 'pipelines/:id',
  async show(context) {
    const { call, place, query, now, at } = context;
    const id = place('id');
    const before = query.get('before');
    const view = await call('pipeline.get', { id });
    const { runs, next } = await call('pipeline.runs', {
      id,
      limit: 50,
      ...(before !== null && { before: Number(before) }),
    });
    const { schedule, paused } = view;
    const wanted = Number(query.get('run') ?? view.last?.run);
    const shown = await runOf(context, id, wanted);
    return {
      title: `Pipeline ${id}`,
      heading: html`${short(id)} ${stateOf(view)}`,
      live: 'all',
      body: html`<div class="actions">${actionsOf(context, { ...view, id })}</div>
        ${facts([
          ['Schedule', schedule && short(`${schedule.cron} in ${schedule.zone}`, 100)],
          ['Next', nextOf(view, now)],
          ['Paused', paused && age(paused.at, now)],
          ['Why', paused?.reason === undefined ? undefined : foreign(paused.reason)],
        ])}
        ${shown === undefined ? section('jobs', 'Jobs', jobList(view)) : section('jobs', `Jobs of run ${shown.run}`, jobTable(context, id, shown))}
        ${section('runs', 'Runs', html`${runTable(context, id, runs)} ${more(at, 'before', next, 'Older runs')}`)}`,
    };
  },
};

/** Resolves with a run of a pipeline; with nothing where there is none of that number. */
async function runOf({ call }: ViewContext, id: string, run: number): Promise<RunView | undefined> {
  if (!Number.isSafeInteger(run) || run < 1) return undefined;
  const { runs } = await call('pipeline.runs', { id, before: run + 1, limit: 1 });
  return runs.find((each) => each.run === run);
}

function stateOf({ paused, last }: PipelineView): Html {
  if (paused !== undefined) return status('paused', 'warn');
  return last?.state === 'running' ? status('running', 'good') : status('idle', '');
}

function nextOf({ paused, nextAt }: PipelineView, now: number): Html | undefined {
  return paused === undefined && nextAt !== undefined ? due(nextAt, now) : undefined;
}

function runState({ state }: RunView): Html {
  return status(state, state === 'done' ? 'good' : state === 'failed' ? 'bad' : state === 'running' ? 'good' : 'warn');
}

function jobState({ state }: JobView): Html {
  return status(state, state === 'done' || state === 'running' ? 'good' : state === 'failed' ? 'bad' : '');
}

function actionsOf(context: ViewContext, { id, paused, last }: PipelineView): Html {
  const isRunning = last?.state === 'running';
  return html`${
    paused !== undefined || isRunning
      ? ''
      : action(context, {
          method: 'pipeline.run',
          params: { id },
          label: 'Run now',
          done: 'A run has begun.',
          cli: ['pipelines', 'run', id],
        })
  }
  ${
    paused === undefined
      ? action(context, {
          method: 'pipeline.pause',
          params: { id },
          label: 'Pause',
          done: 'Nothing of it begins until it is resumed.',
          cli: ['pipelines', 'pause', id],
        })
      : action(context, {
          method: 'pipeline.resume',
          params: { id },
          label: 'Resume',
          done: 'It goes on.',
          cli: ['pipelines', 'resume', id],
        })
  }`;
}

/** What a pipeline says of its jobs, which a run says too. */
const jobColumns: readonly Column<Pick<PipelineView['jobs'][number], 'name' | 'kind' | 'after'>>[] = [
  ['Job', ({ name }) => short(name)],
  ['Does', ({ kind }) => kind],
  ['After', ({ after }) => short(after.join(', '), 100)],
];

function jobList({ jobs }: PipelineView): Html {
  return table('Jobs', jobs, jobColumns, '');
}

function jobTable(context: ViewContext, id: string, { run, jobs }: RunView): Html {
  const { now } = context;
  return table(
    'Jobs',
    jobs,
    [
      ...jobColumns,
      ['State', jobState],
      ['Tries', ({ tries }) => tries, { isNumber: true }],
      [
        'Took',
        ({ beganAt, endedAt }) => (beganAt === undefined ? '' : durationText(Math.max(0, (endedAt ?? now) - beganAt))),
        { isNumber: true },
      ],
      ['Outcome', outcomeOf],
      [
        '',
        ({ name, state }) =>
          state === 'done' || state === 'failed' || state === 'cancelled'
            ? action(context, {
                method: 'pipeline.clear',
                params: { id, run, job: name },
                label: 'Clear',
                done: 'It and all that come after it are run again.',
                cli: ['pipelines', 'clear', id, String(run), '--job', name],
              })
            : '',
      ],
    ],
    '',
  );
}

function outcomeOf({ failure, result }: JobView): Html | '' {
  if (failure !== undefined) return html`<span class="bad">${foreign(failure)}</span>`;
  return result === undefined ? '' : foreign(valueText(result));
}

function runTable(context: ViewContext, id: string, runs: readonly RunView[]): Html {
  const { now } = context;
  return table(
    'Runs',
    runs,
    [
      [
        'Run',
        ({ run }) => html`<a href="pipelines/${encodeURIComponent(id)}?run=${String(run)}">${String(run)}</a>`,
        { isNumber: true },
      ],
      ['State', runState],
      ['Why', ({ reason }) => (reason === 'manual' ? 'by hand' : 'its schedule')],
      ['Began', ({ beganAt }) => age(beganAt, now)],
      ['Took', ({ durationMs }) => durationText(durationMs), { isNumber: true }],
      [
        'Failed',
        ({ jobs }) => short(jobs.flatMap(({ name, state }) => (state === 'failed' ? [name] : [])).join(', '), 100),
      ],
      ['', (run) => runActions(context, id, run)],
    ],
    'It has not run yet.',
  );
}

function runActions(context: ViewContext, id: string, { run, state }: RunView): Html | '' {
  if (state === 'running')
    return action(context, {
      method: 'pipeline.cancel',
      params: { id, run },
      label: 'Cancel',
      done: 'It is cancelled.',
      cli: ['pipelines', 'cancel', id, String(run)],
      confirm: 'Jobs that run are cut; scrapes that they have asked for go on.',
      tone: 'danger',
    });
  if (state === 'done') return '';
  return action(context, {
    method: 'pipeline.clear',
    params: { id, run },
    label: 'Run what failed again',
    done: 'It goes on with what failed or was cancelled.',
    cli: ['pipelines', 'clear', id, String(run)],
  });
}
