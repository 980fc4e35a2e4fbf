import { basename, dirname, resolve } from 'node:path';
import { ControlError } from '../control/error.ts';
import type { Handlers } from '../control/methods.ts';
import type { Catalogue } from '../definition/catalogue.ts';
import { readPlugin } from '../definition/plugin-file.ts';
import { idIn, pipelinesName } from '../definition/problem.ts';
import { defined } from '../defined.ts';
import type { ExportJob } from '../definition/pipeline.ts';
import { type Destination, DestinationError } from '../export/destination.ts';
import { openFolder } from '../export/folder.ts';
import type { ExportSource } from '../export/rows.ts';
import { type JobDeps, runJob } from '../pipeline/run-job.ts';
import { advance, endJob, forgetPipelines } from '../pipeline/runs.ts';
import { ownerOf } from '../schedule/watchers.ts';
import { withoutSecrets } from '../session/redact.ts';
import type { Store } from '../store/store.ts';
import { callPlugin } from '../../workers/plugins.ts';
import type { PipelinesDeps } from '../../workers/pipelines.ts';
import type { Daemon } from './parts.ts';

/** Creates the means by which the jobs of pipelines scrape, call and export. */
export function createPipelines(daemon: Daemon, handlers: Handlers): PipelinesDeps {
  const { clock, names, options, state } = daemon;
  const { store, catalogue, unlessFull } = state;
  const told: JobDeps['told'] = ({ pipeline, run, name }, message) =>
    options.log?.('info', message, { pipeline, run, job: name });
  const exports = exportsBy(handlers);
  const deps: JobDeps = {
    store,
    isLoaded: (source) => catalogue().sources.has(source),
    look(targets) {
      const rows = targets.flatMap((target) => store().targets.get(target) ?? []);
      for (const id of new Set(rows.flatMap((row) => ownerOf(row) ?? [])))
        names.projects.whereis(id)?.send({ type: 'look' });
      names.planner.whereis('planner')?.send({ type: 'changed', sources: [] });
    },
    exports,
    openDestination: (job) => openPlace(job, daemon),
    call: callsBy(daemon, exports),
    told,
  };
  return {
    clock,
    registry: names.pipelines,
    async advance() {
      const { pipelines } = catalogue();
      if (pipelines.size === 0) return { jobs: [], nextAt: undefined };
      return unlessFull(() =>
        store().write((change) => advance(store(), change, pipelines.values()), { durable: true }),
      );
    },
    async run(job, signal) {
      try {
        return await unlessFull(() => runJob(deps, job, signal));
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!(error instanceof ControlError))
          options.warn(`job ${job.name} of run ${job.run} of pipeline ${job.pipeline} failed`, error);
        return { failure: error instanceof Error ? error.message : String(error) };
      }
    },
    ended: (job, end) =>
      unlessFull(async () => {
        await store().write((change) => endJob(store(), change, job, end), { durable: true });
        return true as const;
      }),
  };
}

/** Removes what is stored of the pipelines whose files are gone. */
export async function forgetGone(store: Store, { pipelines, problems }: Catalogue): Promise<void> {
  // Where the folder cannot be read, nobody knows which files are in it.
  if (problems.some(({ file }) => basename(file) === pipelinesName)) return;
  const broken = problems.flatMap((problem) => idIn(pipelinesName, problem) ?? []);
  await forgetPipelines(store, new Set([...pipelines.keys(), ...broken]));
}

const [accessKey, secretKey] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

/** Opens the destination of an export. The credentials of a bucket are secrets of the names that the tools of S3 have for them. */
async function openPlace(
  { to, endpoint, region, allowPrivate }: ExportJob,
  { options, secrets }: Daemon,
): Promise<Destination> {
  if (!to.startsWith('s3://')) return openFolder(resolve(dirname(options.sources), to));
  const found = await secrets.find([accessKey, secretKey]);
  if (!found.ok) throw new DestinationError('failed', found.message);
  const textOf = (name: string): string => found.secrets.get(name)?.reveal() ?? '';
  const credentials = { accessKeyId: textOf(accessKey), secretAccessKey: textOf(secretKey) };
  const { openS3 } = await import('../export/s3.ts');
  return openS3({ address: to, credentials, region, endpoint, allowPrivate });
}

/** Calls functions of plug-ins for jobs. The file is read for each call. */
function callsBy({ names, options, secrets }: Daemon, exports: ExportSource): JobDeps['call'] {
  return async ({ plugin: name, function: exported, args, secrets: named }, of, signal) => {
    const { pipeline, run, name: job, results } = of;
    const read = await readPlugin(options.plugins, name);
    if (!read.ok) return { failure: `${name}: ${read.message}` };
    const found = await secrets.find(named);
    if (!found.ok) return { failure: found.message };
    const about = { pipeline, run, job, plugin: name };
    const outcome = await callPlugin(names.plugins.via('plugins'), {
      plugin: read.plugin,
      function: 'call',
      options: undefined,
      input: { name: exported, args, of: { pipeline, run, job, results } },
      services: {
        fetch: () =>
          Promise.resolve({ ok: false, failure: { code: 'disallowed', message: 'expected no request here' } }),
        secret: (secret) => found.secrets.get(secret)?.reveal(),
        async records(wanted, cursor) {
          const { rows, next } = await exports.records({ ...wanted, ...defined({ cursor }), limit: atOnce });
          return { records: rows, ...defined({ next }) };
        },
        log: ({ level, message, data }) => options.log?.(level, message, { ...about, ...defined({ data }) }),
        collected: () => Promise.resolve(),
        hide: (text) => withoutSecrets(text, found.secrets.values()),
      },
      signal,
    });
    return outcome.ok ? { result: outcome.value } : { failure: outcome.failure.message };
  };
}

/** The records that a function gets at once: some hundred kilobytes. */
const atOnce = 500;

/** Reads the rows of exports by the control methods. */
function exportsBy(handlers: Handlers): ExportSource {
  const { signal } = new AbortController();
  return {
    tables: async () => (await handlers['export.tables']({}, { signal })).tables,
    records: async (asked) => handlers['export.records'](asked, { signal }),
    history: async (asked) => handlers['export.history'](asked, { signal }),
    metrics: async (asked) => handlers['export.metrics'](asked, { signal }),
    events: async (asked) => handlers['export.events'](asked, { signal }),
  };
}
