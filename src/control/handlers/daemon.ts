import { idIn, pipelinesName, type Problem, sinksName, sourceIdOf, typesName } from '../../definition/problem.ts';
import type { LifeView } from '../../actor/report.ts';
import { CallError, describeReason } from '../../actor/errors.ts';
import { defined } from '../../defined.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { DaemonStatus, TreeNode } from '../methods/daemon.ts';
import type { Backlog, WaitingOffers } from '../../fetch/ledger/ledger-view.ts';
import type { Ports, RemoteWorkers } from './ports.ts';
import { queuesView } from './queues.ts';

/** The most pauses that are told, and the most actors that do not run. */
const shownPauses = 100;

type Deps = Pick<Ports, 'store' | 'catalogue' | 'sources' | 'hosts' | 'scrapes' | 'daemon'>;

/** Creates the handlers of the daemon's state, settings and supervision tree. */
export function daemonHandlers(deps: Deps) {
  return {
    'daemon.ping': () => ({}),
    'daemon.place': () => {
      const { pid, data, config } = deps.daemon.identity;
      return { pid, data, ...defined({ config }) };
    },
    'daemon.status': () => status(deps),
    'daemon.backup': async ({ path }) => ({ path, bytes: await deps.daemon.backups.make(path) }),
    'daemon.shutdown': () => {
      deps.daemon.shutdown();
      return { pid: deps.daemon.identity.pid };
    },
    'tree.get': ({ depth, limit }) => {
      const [root] = deps.daemon.tree();
      if (root === undefined) throw new ControlError('not_ready', 'the tree is not up');
      return nodeOf(root, depth, limit);
    },
    'settings.get': () => deps.daemon.settings(),
    'settings.set': async (change) => {
      const settings = { ...deps.daemon.settings(), ...change };
      await deps.daemon.saveSettings(settings);
      return settings;
    },
  } satisfies Partial<Handlers>;
}

async function status(deps: Deps): Promise<DaemonStatus> {
  const remote = await remoteOf(deps);
  const store = deps.store();
  const { ready, remaining, ...progress } = deps.daemon.progress();
  const stopped = progress.stopped.slice(0, shownPauses);
  const { sources, problems } = deps.catalogue();
  const broken = new Set(problems.map(sourceIdOf));
  const beside = brokenBeside(problems);
  const isUninitialised = (id: string) => deps.sources.session(id)?.code === 'not_initialised';
  const uninitialised = [...sources.keys()].filter(isUninitialised).length;
  const paused = deps.scrapes.paused();
  const pausedUntil = deps.scrapes.pausedUntil();
  const pauses = deps.hosts.pauses().slice(0, shownPauses);
  return {
    state: ready ? 'ready' : 'starting',
    remaining,
    ...deps.daemon.identity,
    node: process.version,
    memoryBytes: deps.daemon.memoryBytes(),
    loopDelayMs: deps.daemon.loopDelayMs(),
    commits: store.environment.commitCounts(),
    ...counted(deps),
    sources: {
      ready: sources.size,
      broken: new Set(problems.map(({ file }) => file)).size - beside.types - beside.sinks - beside.pipelines,
      missing: store.counts.usedSources().filter((id) => !sources.has(id) && !broken.has(id)).length,
      ...(uninitialised > 0 && { uninitialised }),
    },
    tickets: store.tickets.countByState(store.now()),
    offers: deps.daemon.waiting.waits().map(({ why, offers, oldestAt }) => ({
      waitFor: waitKind(why),
      offers,
      oldestAt: Math.round(oldestAt),
    })),
    backlog: remote?.queues.kind === 'leased' ? { turns: 0 } : backlogOf(deps.daemon.waiting.backlog()),
    lastEvent: store.events.last(),
    ...defined({
      brokenFiles: Object.values(beside).some((count) => count > 0) ? beside : undefined,
      queues: remote && queuesView(remote, deps.daemon),
      backup: deps.daemon.backups.followed(),
      apiOnly: deps.scrapes.apiOnly ? (true as const) : undefined,
      paused,
      pausedUntil,
      pauses: pauses.length > 0 ? pauses : undefined,
      stopped: stopped.length > 0 ? stopped : undefined,
    }),
  };
}

/** Counts the files with problems in the folders beside that of the sources. */
function brokenBeside(problems: readonly Problem[]): NonNullable<DaemonStatus['brokenFiles']> {
  const count = (name: Parameters<typeof idIn>[0]): number =>
    new Set(problems.flatMap((problem) => idIn(name, problem) ?? [])).size;
  return { types: count(typesName), sinks: count(sinksName), pipelines: count(pipelinesName) };
}

/** Resolves with the worker processes; with nothing where the daemon runs steps itself, and while no engine runs. */
async function remoteOf({ scrapes }: Deps): Promise<RemoteWorkers | undefined> {
  try {
    return await scrapes.workers();
  } catch (error) {
    if (error instanceof CallError) return undefined;
    throw error;
  }
}

function backlogOf({ turns, oldestAt }: Backlog): DaemonStatus['backlog'] {
  return { turns, ...(oldestAt !== undefined && { oldestAt: Math.round(oldestAt) }) };
}

/** Converts what offers wait for to the words of the control methods. */
function waitKind(why: WaitingOffers['why']): DaemonStatus['offers'][number]['waitFor'] {
  if (why === 'crawl-delay') return 'crawl_delay';
  if (why === 'retry-after') return 'retry_after';
  return why === 'back-off' ? 'back_off' : why;
}

/** Returns how many projects, targets and scrapes there are by status, all from counters. */
function counted(deps: Deps): Pick<DaemonStatus, 'projects' | 'targets' | 'scrapes'> {
  const { counts, scrapes } = deps.store();
  const { projects, targets, waiting } = counts.all();
  const { aborted, ...ended } = deps.scrapes.ended();
  return {
    projects,
    targets,
    scrapes: { running: scrapes.countRunning(), waiting, ...ended, ...(aborted > 0 && { aborted }) },
  };
}

/** A life of the supervision tree with the lives under it, down to `depth` levels of at most `limit` children each. */
function nodeOf(life: LifeView, depth: number, limit: number): TreeNode {
  const { name, ageMs, lastExit, children, ...rest } = life;
  const shown = depth > 1 ? children.slice(0, limit) : [];
  const more = children.length - shown.length;
  return {
    ...rest,
    id: name,
    ageMs: Math.round(ageMs),
    ...defined({
      lastExit: lastExit === undefined ? undefined : describeReason(lastExit),
      children: life.kind === 'supervisor' ? shown.map((child) => nodeOf(child, depth - 1, limit)) : undefined,
      more: more > 0 ? more : undefined,
    }),
  };
}
