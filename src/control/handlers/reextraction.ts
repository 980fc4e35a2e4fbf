import type { ReextractionRow } from '../../store/tables/reextractions.ts';
import { beginJob, moveJob } from '../../reextraction/job.ts';
import type { ReextractionView } from '../../view/reextraction.ts';
import { defined } from '../../defined.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import { checkNames, findSource } from './find.ts';
import type { Ports } from './ports.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'vault'>;

type Served = `reextraction.${'begin' | 'list' | 'get' | 'apply' | 'cancel'}`;

/** Jobs that are listed. */
const listed = 100;

/** Creates the handlers of jobs that read kept pages again. */
export function reextractionHandlers({ store, catalogue, vault }: Deps): Pick<Handlers, Served> {
  return {
    'reextraction.begin': async ({ source, ...wish }) => {
      findSource(catalogue(), source);
      checkNames({ source, type: wish.type }, { store, catalogue });
      const loaded = catalogue().sources.get(source);
      if (loaded === undefined || vault.open() === undefined)
        throw new ControlError('conflict', 'no pages are kept: heronry.yaml says `vault: off`');
      const { ok, job } = await beginJob(store(), loaded, wish);
      if (!ok)
        throw new ControlError(
          'conflict',
          `job ${job.job} is ${job.state} for source "${job.source}": wait for it, or cancel it`,
        );
      vault.lookAtJobs();
      return viewOf(job);
    },
    'reextraction.list': () => ({
      jobs: Array.from(store().reextractions.jobs.rows({ newestFirst: true, limit: listed }), viewOf),
    }),
    'reextraction.get': async ({ job, wait, examples }) => {
      find(job);
      if (wait) await vault.jobsSettled();
      const row = find(job);
      const shown = row.state === 'ready' ? store().reextractions.correctionsOf(job, examples) : [];
      return {
        ...viewOf(row),
        examples: shown.flatMap(({ key: [, record, at], row: { corrects, page, fields } }) => {
          const name = store().records.nameOf(record);
          return name === undefined ? [] : [{ type: name.type, key: name.key, at, page, corrects, fields }];
        }),
      };
    },
    'reextraction.apply': ({ job }) => move(job, 'apply', ['ready'], 'applying'),
    'reextraction.cancel': ({ job }) => move(job, 'cancel', ['reading', 'comparing', 'ready'], 'cancelled'),
  };

  function find(job: number): ReextractionRow {
    const row = store().reextractions.jobs.get(job);
    if (row === undefined) throw new ControlError('not_found', `no job ${job}`);
    return row;
  }

  async function move(
    number: number,
    verb: string,
    from: readonly ReextractionView['state'][],
    state: 'applying' | 'cancelled',
  ): Promise<ReextractionView> {
    const { state: now } = find(number);
    const { moved, job } = await moveJob(store(), number, from, { state });
    if (!moved || job === undefined)
      throw new ControlError(
        'conflict',
        `job ${number} is ${now}: expected one that is ${from.join(' or ')} to ${verb}`,
      );
    vault.lookAtJobs();
    return viewOf(job);
  }
}

function viewOf({ readTo: _readTo, comparedTo: _comparedTo, ...view }: ReextractionRow): ReextractionView {
  return defined(view);
}
