import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined } from '../../defined.ts';
import type { EngineSettings } from '../../definition/engine.ts';
import type { Pipeline } from '../../definition/pipeline.ts';
import type { Problem } from '../../definition/problem.ts';
import type { Sink } from '../../definition/sink.ts';
import type { Source } from '../../definition/source.ts';
import type { Terminal } from '../terminal.ts';

/** Resolves with the problems of the file of secrets, if there is one; where it is missing, the environment may hold them all. */
export async function secretProblems(folder: string, path: string | undefined): Promise<readonly Problem[]> {
  if (path === undefined || !existsSync(resolve(folder, path))) return [];
  const { secretFileFaults } = await import('../../session/secret-store.ts');
  const file = resolve(folder, path);
  return (await secretFileFaults(file)).map((message) => ({ file, line: 1, column: 1, path: '', message }));
}

/** What names secrets. */
interface Naming {
  readonly sources: readonly Source[];
  readonly sinks: readonly Sink[];
  readonly pipelines: readonly Pipeline[];
  /** The queues of worker processes; `undefined` where the daemon runs steps itself. */
  readonly queues: EngineSettings['bullmq'] | undefined;
}

/** Resolves with a sentence for each source, sink and pipeline, and the queues, that names secrets which this environment and the file of secrets lack; the daemon's environment may have them. */
export async function secretWarnings(
  { sources, sinks, pipelines, queues }: Naming,
  environment: Terminal['env'],
  file: string | undefined,
): Promise<string[]> {
  const [{ namedIn, secretNames }, { sinkSecrets }, { secretsFrom }] = await Promise.all([
    import('../../definition/auth.ts'),
    import('../../definition/sink.ts'),
    import('../../session/secret-store.ts'),
  ]);
  const { url, password } = queues ?? {};
  const find = secretsFrom({ environment, ...defined({ file }) });
  const wanted = [
    { who: 'the queues', names: [...namedIn([url, password === undefined ? undefined : { secret: password }])] },
    ...sources.map(({ id, auth, proxy, secrets = [] }) => {
      const names = [...secretNames(auth), ...namedIn([proxy?.user, proxy?.password]), ...secrets];
      return { who: `source ${id}`, names };
    }),
    ...sinks.map((sink) => ({ who: `sink ${sink.id}`, names: sinkSecrets(sink) })),
    ...pipelines.map(({ id, jobs }) => {
      const names = Object.values(jobs).flatMap(({ call }) => call?.secrets ?? []);
      return { who: `pipeline ${id}`, names };
    }),
  ];
  const found = await Promise.all(
    wanted.map(async ({ who, names }) => {
      const looked = await find([...new Set(names)]);
      return looked.ok ? [] : [`${who}: ${looked.message}`];
    }),
  );
  return found.flat();
}
