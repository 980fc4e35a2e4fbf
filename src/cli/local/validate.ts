import { existsSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, extname, relative, resolve } from 'node:path';
import type { LoadedSources } from '../../definition/load.ts';
import type { Loaded } from '../../definition/load-file.ts';
import type { Pipeline } from '../../definition/pipeline.ts';
import type { Problem } from '../../definition/problem.ts';
import type { KnownSources } from '../../definition/project-issues.ts';
import type { Project, Projects } from '../../definition/project.ts';
import type { TargetSchedule } from '../../schedule/levels.ts';
import type { Source } from '../../definition/source.ts';
import type { Issue } from '../../schema/expected.ts';
import { infeasibleText } from '../infeasible-text.ts';
import { CommandError } from '../exit-status.ts';
import type { Terminal } from '../terminal.ts';
import { contactWarnings } from './contact.ts';
import { placeProblems } from './daemon-places.ts';
import { pluginsIn } from './definitions.ts';
import { fixturesIn } from './fixtures.ts';
import { callProblems, pluginUseProblems, validatePlugins } from './plugins.ts';
import { rateProblems } from './rates.ts';
import { secretProblems, secretWarnings } from './secrets.ts';

const daemonName = 'heronry.yaml';

/** How much was validated, and the problems that were found. */
interface Validation {
  readonly sources: number;
  readonly projects: number;
  readonly plugins: number;
  readonly sinks: number;
  readonly pipelines: number;
  readonly problems: readonly Problem[];
  /** Sentences on valid settings that may be oversights. */
  readonly warnings: readonly string[];
}

const nothing: Validation = {
  ...{ sources: 0, projects: 0, plugins: 0, sinks: 0, pipelines: 0 },
  ...{ problems: [], warnings: [] },
};

/**
 * Validates the folder of heronry.yaml, a folder of definitions, or one file. Rejects with a `CommandError` where
 * there is none.
 */
export async function validate(
  terminal: Terminal,
  path: string,
  sourcesFolder: string | undefined,
): Promise<Validation> {
  const stats = await statsOf(path);
  if (stats === undefined) throw new CommandError('not_found', `${path}: no such file or folder`);
  return stats.isDirectory() ? validateFolder(terminal, path, sourcesFolder) : validateFile(path);
}

/** Resolves with what stands at a path; undefined for nothing. Rejects with a `CommandError` where that cannot be found out. */
async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const { unreadable } = await import('../../definition/file.ts');
    throw new CommandError('failed', `${path}: ${unreadable(error)}`);
  }
}

async function validateFile(file: string): Promise<Validation> {
  const name = basename(file);
  if (/\.m?[jt]s$/.test(file)) return { ...nothing, ...(await validatePlugins(dirname(file), { only: name })) };
  const { fitting, loadDaemon, loadPipeline, loadSink, loadSource, loadType, loadTypes } =
    await import('../../definition/load.ts');
  const { holdsList } = await import('../../definition/load-projects.ts');
  const { pipelinesName, sinksName, typesName } = await import('../../definition/problem.ts');
  if (name === daemonName) {
    const loaded = await loadDaemon(file);
    return { ...nothing, problems: loaded.ok ? await placeProblems(file, loaded.value) : loaded.problems };
  }
  if (/^projects\b/.test(name) || (await holdsList(file))) {
    const { listed, ...told } = await listedIn(file);
    return { ...nothing, projects: listed.length, ...told };
  }
  if (basename(dirname(file)) === sinksName) {
    const loaded = await loadSink(file);
    return { ...nothing, sinks: loaded.ok ? 1 : 0, problems: problemsOfLoaded(loaded) };
  }
  if (basename(dirname(file)) === pipelinesName) {
    const loaded = await loadPipeline(file);
    return { ...nothing, pipelines: loaded.ok ? 1 : 0, problems: problemsOfLoaded(loaded) };
  }
  if (basename(dirname(file)) === typesName) return { ...nothing, problems: problemsOfLoaded(await loadType(file)) };
  const loaded = await loadSource(file);
  if (!loaded.ok) return { ...nothing, problems: loaded.problems };
  const folder = dirname(file);
  const { problems } = await fitting({ sources: [loaded.value], problems: [] }, await loadTypes(folder), folder);
  return { ...nothing, sources: problems.length === 0 ? 1 : 0, problems };
}

function problemsOfLoaded(loaded: Loaded<unknown>): readonly Problem[] {
  return loaded.ok ? [] : loaded.problems;
}

/** The projects of a file, without those that a sitemap lists; the problems of the file; and sentences on what was not checked. */
interface Listed extends Pick<Validation, 'problems' | 'warnings'> {
  readonly listed: Projects;
}

/**
 * Reads the projects of a file, none where it has problems, and returns them with the problems.
 *
 * @param definitions - missing where it is not known which sources there are.
 */
async function listedIn(file: string, definitions?: Definitions): Promise<Listed> {
  const { loadProjects } = await import('../../definition/load-projects.ts');
  const loaded = await loadProjects(file);
  if (!loaded.ok) return { listed: [], problems: loaded.problems, warnings: [] };
  const listed = loaded.value.filter(({ unread }) => unread === undefined);
  const unread = loaded.value.flatMap((project) => project.unread ?? []);
  return {
    listed,
    problems: await projectProblems(file, loaded.value, definitions),
    warnings: unread.map(
      (url) => `${url}: what this sitemap lists is read when the file is applied, and was not checked`,
    ),
  };
}

async function validateFolder(
  { cwd, env }: Terminal,
  folder: string,
  sourcesFolder: string | undefined,
): Promise<Validation> {
  const [{ fitting, loadDaemon, loadPipelines, loadSinks, loadSources, loadTypes }, { isTaken }] = await Promise.all([
    import('../../definition/load.ts'),
    import('../../definition/file.ts'),
  ]);
  const [daemonFile, projectFile] = [resolve(folder, daemonName), resolve(folder, 'projects.yaml')];
  const daemon = isTaken(daemonFile) ? await loadDaemon(daemonFile) : undefined;
  const configured = daemon?.ok ? daemon.value : undefined;
  const found = configured === undefined ? definitionsIn(folder) : resolve(folder, configured.sources);
  const sources = sourcesFolder ?? found;
  if (sources === undefined && daemon === undefined && !isTaken(projectFile)) {
    throw new CommandError(
      'not_found',
      `${folder}: nothing to validate: expected heronry.yaml, projects.yaml, a folder "sources" or definitions there, or heronry.yaml in a folder above it`,
    );
  }
  const types = sources === undefined ? undefined : await loadTypes(sources);
  const loaded =
    sources === undefined || types === undefined
      ? { sources: [], problems: [] }
      : await fitting(await loadSources(sources), types, sources);
  const sinks = sources === undefined ? undefined : await loadSinks(sources);
  const pipelines = sources === undefined ? undefined : await loadPipelines(sources);
  const knownSinks = new Set([...(sinks?.sinks.keys() ?? []), ...(sinks?.broken ?? [])]);
  const definitions = sources === undefined ? undefined : { ...loaded, folder: sources, knownSinks };
  const projects = isTaken(projectFile) ? await listedIn(projectFile, definitions) : { listed: [], ...nothing };
  const pluginFolder = pluginsIn(folder, sources, configured?.plugins);
  const allPipelines = [...(pipelines?.pipelines.values() ?? [])];
  const called = calledOnly(allPipelines, loaded.sources);
  const plugged = await validatePlugins(pluginFolder, { called });
  const [{ pageSource }, { headerWarnings }, { reachWarnings }, { templateWarnings }] = await Promise.all([
    import('../../definition/page.ts'),
    import('../../definition/header-secrets.ts'),
    import('../../definition/sink-reach.ts'),
    import('../../definition/template-names.ts'),
  ]);
  // What a definition with problems has is not known.
  const allSources = loaded.problems.length === 0 ? [pageSource, ...loaded.sources] : [];
  const loadedSinks = [...(sinks?.sinks.values() ?? [])];
  const ids = loaded.sources.map(({ id }) => id);
  return {
    sources: loaded.sources.length,
    projects: projects.listed.length,
    plugins: plugged.plugins,
    sinks: sinks?.sinks.size ?? 0,
    pipelines: pipelines?.pipelines.size ?? 0,
    problems: [
      ...(daemon === undefined ? [] : problemsOfLoaded(daemon)),
      ...(await placeProblems(daemonFile, configured)),
      ...(await secretProblems(folder, configured?.secrets)),
      ...(await rateProblems(daemonFile, configured?.rates, sources === undefined ? undefined : loaded)),
      ...(types?.problems ?? []),
      ...(sinks?.problems ?? []),
      ...(pipelines?.problems ?? []),
      ...loaded.problems,
      ...projects.problems,
      ...plugged.problems,
      ...(sources === undefined ? [] : await pluginUseProblems(loaded.sources, sources, pluginFolder)),
      ...(sources === undefined ? [] : await callProblems(allPipelines, sources, pluginFolder)),
    ],
    warnings: [
      ...projects.warnings,
      ...(await secretWarnings(
        {
          sources: loaded.sources,
          sinks: loadedSinks,
          pipelines: allPipelines,
          queues: configured?.engine?.bullmq,
        },
        env,
        configured?.secrets && resolve(folder, configured.secrets),
      )),
      ...headerWarnings(loaded.sources),
      ...(configured === undefined ? [] : await contactWarnings(configured, loaded.sources)),
      ...reachWarnings(loadedSinks),
      ...templateWarnings(loadedSinks, allSources),
      ...fixtureWarnings(resolve(folder, 'fixtures'), ids, cwd),
      ...(await pageWarnings(loaded.sources, projects.listed)),
      ...(await objectiveWarnings(loaded.sources, projects.listed)),
    ],
  };
}

/** The files whose functions pipelines call and that no source names. */
function calledOnly(pipelines: readonly Pipeline[], sources: readonly Source[]): ReadonlySet<string> {
  const read = new Set(sources.map(({ plugin }) => plugin));
  const called = pipelines.flatMap(({ jobs }) => Object.values(jobs).flatMap(({ call }) => call?.plugin ?? []));
  return new Set(called.filter((name) => !read.has(name)));
}

/**
 * Returns the folder of definitions: `sources` within a folder, or the folder itself where it holds nothing but
 * definitions.
 */
function definitionsIn(folder: string): string | undefined {
  const inner = resolve(folder, 'sources');
  if (existsSync(inner)) return inner;
  const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  const isOfDefinitions = names.length > 0 && !names.some((name) => name === daemonName || name === 'projects.yaml');
  return isOfDefinitions ? folder : undefined;
}

/** The definitions that were loaded from a folder. */
interface Definitions extends LoadedSources {
  readonly folder: string;
  /** The ids of the sinks, with those whose files have problems. */
  readonly knownSinks: ReadonlySet<string>;
}

/**
 * Returns the problems of a project file that `apply` would refuse: between projects and sources, and between targets.
 *
 * @param definitions - missing where it is not known which sources there are.
 */
async function projectProblems(file: string, projects: Projects, definitions?: Definitions): Promise<Problem[]> {
  const [{ problemsIn }, { projectIssues }, { lateConfirmIssues }] = await Promise.all([
    import('../../definition/load-file.ts'),
    import('../../definition/project-issues.ts'),
    import('../../definition/confirm-issues.ts'),
  ]);
  const now = Date.now();
  const { pageSource } = await import('../../definition/page.ts');
  const known = knownSources(pageSource, definitions);
  const inTables: Problem[] = [];
  const issues: Issue[] = [];
  for (const project of projects) {
    const late = lateConfirmIssues(project, project.targets, known.byId, now);
    for (const { path, message } of [...projectIssues(project, known), ...late]) {
      const problem = tableProblem({ path, message }, project);
      if (problem === undefined) issues.push({ path: [project.entry, ...writtenPath(path, project)], message });
      else inTables.push(problem);
    }
  }
  const problems = issues.length === 0 ? inTables : [...(await problemsIn(file, issues)), ...inTables];
  return problems.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** The path of an issue in the entry of its project. Issues of targets that a sitemap lists are placed at its address. */
function writtenPath(path: Issue['path'], { unread }: Project): Issue['path'] {
  return unread === undefined ? path : path.filter((_, index) => path[0] !== 'targets' || index !== 1);
}

/** Returns an issue of a target that stands in a table as a problem of its row there; undefined for any other. */
function tableProblem({ path, message }: Issue, { listed }: Project): Problem | undefined {
  const [part, target, ...rest] = path;
  const line = part === 'targets' && typeof target === 'number' ? listed?.lines[target] : undefined;
  if (listed === undefined || line === undefined) return undefined;
  return { file: listed.file, line, column: 1, path: rest.map(String).join('.'), message };
}

/**
 * Returns the sources that projects may name. A source whose file has problems is not reported as missing too, nor
 * any where the folder cannot be read.
 */
function knownSources(
  builtIn: Source,
  { folder = '', sources = [], problems = [], knownSinks }: Partial<Definitions> = {},
): KnownSources {
  const broken = new Set(problems.map(({ file }) => basename(file, extname(file))));
  const isRead = folder !== '' && !problems.some(({ file }) => file === folder);
  return {
    byId: new Map([builtIn, ...sources].map((source) => [source.id, { source }])),
    missing: (id) => (isRead && !broken.has(id) ? `no source "${id}" is defined` : undefined),
    ...(knownSinks !== undefined && { sinks: knownSinks }),
  };
}

/**
 * Returns warnings on saved pages: sources without one, pages without a source, expectations without a page. None
 * where there is no folder of them.
 */
function fixtureWarnings(folder: string, sources: readonly string[], cwd: string): string[] {
  if (!existsSync(folder)) return [];
  const fixtures = fixturesIn(folder);
  const saved = new Set(fixtures.map(({ source }) => source));
  const unknown = [...saved].filter((source) => !sources.includes(source));
  const without = sources.filter((source) => !saved.has(source));
  const [only = ''] = without;
  const who = without.length === 1 ? `source ${only} has` : `${without.length} sources have`;
  return [
    ...(without.length === 0 ? [] : [`${who} no saved page: heronry fixture add`]),
    ...unknown.map((source) => `saved pages of ${source}, of which there is no valid definition`),
    ...fixtures
      .filter(({ pageFile }) => pageFile === undefined)
      .map(({ expectedFile }) => `${relative(cwd, expectedFile)}: there is no page beside it`),
  ];
}

/** Returns a sentence for each address that projects track as a page of no source, though a source knows it. */
async function pageWarnings(sources: readonly Source[], projects: Projects): Promise<string[]> {
  const [{ pageId }, { ownSourceOf, targetAddress }] = await Promise.all([
    import('../../definition/page.ts'),
    import('../../definition/target-address.ts'),
  ]);
  const byId = new Map(sources.map((source) => [source.id, source]));
  const addressOf = ({ source, ...target }: Projects[number]['targets'][number]) => {
    const of = byId.get(source);
    const address = of && targetAddress(of, target);
    return address?.ok ? [`${source} ${address.url}`] : [];
  };
  const tracked = new Set(projects.flatMap(({ targets }) => targets.flatMap(addressOf)));
  return projects.flatMap(({ id, targets }) =>
    targets.flatMap(({ source, url }) => {
      const known = source === pageId && url !== undefined ? ownSourceOf(sources, url) : undefined;
      if (known === undefined || tracked.has(`${known.source} ${known.url}`)) return [];
      return `source ${known.source} knows ${url}, which ${id} tracks as a page of no source`;
    }),
  );
}

/** Returns a sentence for each objective of these projects that the hosts of these sources cannot guarantee. */
async function objectiveWarnings(sources: readonly Source[], projects: Projects): Promise<string[]> {
  const [{ DemandBook }, { scheduleOn }, { scheduleOf, sharedSchedule }, { targetAddress }] = await Promise.all([
    import('../../definition/demand-book.ts'),
    import('../../definition/objective-fields.ts'),
    import('../../schedule/levels.ts'),
    import('../../definition/target-address.ts'),
  ]);
  const now = Date.now();
  const byId = new Map(sources.map((source) => [source.id, source]));
  /** What is wanted of each place, of which all that name it are one target. */
  const places = new Map<
    string,
    { readonly source: Source; readonly url: string; readonly wanted: TargetSchedule[] }
  >();
  for (const { targets, ...project } of projects) {
    for (const target of targets) {
      const source = byId.get(target.source);
      const address = source && targetAddress(source, target);
      // What is wrong with a target is told as a problem of its file.
      if (source === undefined || address?.ok !== true) continue;
      const { url } = address;
      const key = `${source.id} ${URL.parse(url)?.href ?? url}`;
      const place = places.get(key) ?? { source, url, wanted: [] };
      place.wanted.push(scheduleOn(source, scheduleOf([target, project, source], now)));
      places.set(key, place);
    }
  }
  const demands = new DemandBook();
  for (const { source, url, wanted } of places.values()) demands.add(source, url, sharedSchedule(wanted));
  return demands.infeasible().map(infeasibleText);
}
