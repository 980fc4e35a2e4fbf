import type { ProjectRow } from '../../store/rows.ts';
import { inSlices } from '../../store/slices.ts';
import type { Handlers } from '../methods.ts';
import type { DaemonStatus } from '../methods/daemon.ts';
import type { HandlerDeps } from './deps.ts';
import { statusOf } from './views.ts';

type Methods = 'daemon.ping' | 'daemon.status' | 'daemon.shutdown' | 'settings.get' | 'settings.set';

export function daemonHandlers(deps: HandlerDeps): Pick<Handlers, Methods> {
  return {
    'daemon.ping': () => ({}),
    'daemon.status': () => status(deps),
    'daemon.shutdown': () => {
      deps.shutdown();
      return { pid: deps.daemon.pid };
    },
    'settings.get': () => deps.settings(),
    'settings.set': async (change) => {
      const settings = { ...deps.settings(), ...change };
      await deps.saveSettings(settings);
      return settings;
    },
  };
}

async function status(deps: HandlerDeps): Promise<DaemonStatus> {
  const store = deps.store();
  const { ready, remaining } = await deps.progress();
  const { pid, version, data, socket, startedAt } = deps.daemon;
  const { sources, problems } = deps.catalogue();
  const paused = deps.paused();
  const pausedUntil = deps.pausedUntil();
  return {
    state: ready ? 'ready' : 'starting',
    remaining,
    pid,
    version,
    node: process.version,
    data,
    socket,
    startedAt,
    memoryBytes: process.memoryUsage.rss(),
    ...(await counted(deps)),
    sources: { ready: sources.size, broken: new Set(problems.map(({ file }) => file)).size },
    lastEvent: store.events.last(),
    ...(deps.apiOnly && { apiOnly: true as const }),
    ...(paused !== undefined && { paused }),
    ...(pausedUntil !== undefined && { pausedUntil }),
  };
}

/** What is counted from the store's rows, in one pass. */
async function counted(deps: HandlerDeps): Promise<Pick<DaemonStatus, 'projects' | 'targets' | 'scrapes'>> {
  const store = deps.store();
  const projects = { active: 0, finished: 0, archived: 0 };
  const targets = { active: 0, finished: 0, disabled: 0, parked: 0 };
  const scrapes = { running: 0, waiting: 0, ...deps.ended() };
  for await (const rows of inSlices(store.projects.rowsAfter)) rows.forEach(count);
  return { projects, targets, scrapes };

  function count(project: ProjectRow): void {
    const rows = project.targets.flatMap((number) => store.targets.get(number) ?? []);
    projects[statusOf(project, rows)] += 1;
    if (project.status === 'archived') return;
    for (const { status: each, running, waiting } of rows) {
      targets[each] += 1;
      if (running !== undefined) scrapes.running += 1;
      if (waiting !== undefined) scrapes.waiting += 1;
    }
  }
}
