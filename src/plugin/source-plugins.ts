import { basename } from 'node:path';
import {
  type Catalogue,
  hasCollector,
  isPlugged,
  type LoadedSource,
  type PluggedSource,
  type ProgramSource,
} from '../definition/catalogue.ts';
import type { PluginSource } from '../definition/plugin-file.ts';
import type { Source } from '../definition/source.ts';
import type { Problem } from '../definition/problem.ts';
import { type AddressParts, pluginAddress, type SourceMatch } from '../definition/target-address.ts';
import { fillUrl } from '../definition/url-pattern.ts';
import type { StepFailure, StepOutcome } from '../engine/step.ts';
import type { Page } from '../fetch/page.ts';
import type { Log } from '../log.ts';
import type { OpenProvider, Reading } from '../provider/provider.ts';
import { withoutSecrets } from '../session/redact.ts';
import type { PluginLogin } from '../session/start-login.ts';
import { type FindSecrets, secretsThatAreSet } from '../session/secret-store.ts';
import type { Secret } from '../session/secret.ts';
import { defined } from '../defined.ts';
import { type CallFunction, openPlugin, refusedPlugin } from './open.ts';
import type {
  PluginFailure,
  PluginCall,
  PluginFunction,
  PluginFunctions,
  PluginOutcome,
  PluginShape,
  Since,
} from './protocol.ts';
import { type ReadPage, readByPlugin } from './read-page.ts';
import { hiddenLine } from './thread.ts';
import { openPrograms, type ProgramFailure } from './program.ts';
import { noServices, type PluginServices } from './services.ts';

/** A call of a plug-in's function with what it may use. */
export interface PluginQuestion<F extends PluginFunction> extends PluginCall<F> {
  /** Default: none. */
  readonly services?: PluginServices;
  readonly signal: AbortSignal;
}

/** The dependencies of the plug-ins of sources. */
export interface SourcePluginsDeps {
  catalogue(): Catalogue;
  /** Asked for each call of a plug-in that names secrets. */
  readonly findSecrets: FindSecrets;
  readonly log: Log;
  /** Calls a function on a thread. Rejects with the signal's reason when that fires first. */
  call<F extends PluginFunction>(question: PluginQuestion<F>): Promise<PluginOutcome<PluginFunctions[F]['value']>>;
}

/** A source as its plug-in asks and reads it. */
export interface OpenedPlugin {
  /** The provider; if the plug-in cannot be used, each request that it makes fails with the reason. */
  readonly provider: OpenProvider;
  /** Whether the plug-in collects by itself, in place of being asked page by page. */
  readonly isCollector: boolean;
}

/** The plug-ins of the sources in use. */
export interface SourcePlugins {
  /** Describes a plug-in, unless that was done for its version. Rejects with the signal's reason when that fires first. */
  open(loaded: PluggedSource, signal: AbortSignal): Promise<OpenedPlugin>;
  /** Why the plug-in of a source could not be used when it was last described in the version of the source that is in use. */
  problemOf(source: string): Problem | undefined;
  /** Reads a page; its body moves to a thread. */
  read(page: Page, reading: Reading, signal: AbortSignal): Promise<ReadPage>;
  /** Logs what a plug-in told as it read a page in a worker process; resolves with the outcome without that and without secrets in its failure. */
  told(reading: Reading, outcome: StepOutcome): Promise<StepOutcome>;
  /**
   * Resolves an URL that a person gave by each plug-in that can, within 15 s. A plug-in that fails or takes longer gives no match. They make
   * their requests by what `fetchFor` gives. Rejects with the signal's reason when that fires first.
   */
  resolve(
    url: string,
    fetchFor: (source: Source) => PluginServices['fetch'],
    signal: AbortSignal,
  ): Promise<readonly SourceMatch[]>;
  /** Logs in by a plug-in, which makes its requests by `fetch`. */
  authenticate(loaded: PluggedSource, fetch: PluginServices['fetch'], signal: AbortSignal): Promise<PluginLogin>;
  /** Runs a collector, a plug-in's or a program, to its end; resolves with its failure if it had one. Rejects with the signal's reason when that fires first. */
  collect(
    loaded: PluggedSource | ProgramSource,
    run: CollectorRun,
    signal: AbortSignal,
  ): Promise<CollectorFailure | undefined>;
}

/** One run of a collector. */
export interface CollectorRun {
  readonly args: readonly string[];
  /** The newest stored dates by field. */
  readonly since: Since;
  readonly address: AddressParts;
  readonly services: Pick<PluginServices, 'began' | 'fetch' | 'collected' | 'hide'>;
  /** The fields of each log line that say what it is about. */
  readonly of: Readonly<Record<string, unknown>>;
  /** Called with the secrets that the plug-in may read, before it begins. */
  reveals(secrets: Iterable<Secret>): void;
}

/** Why a collector failed. */
export type CollectorFailure = PluginFailure | ProgramFailure | UnsetSecrets;

/** The definition names secrets that nobody has set. */
interface UnsetSecrets {
  readonly code: 'not_initialised';
  readonly message: string;
  /** No request of the daemon's causes it. */
  readonly cause?: string;
}

type Bad = { readonly ok: false; readonly failure: StepFailure };

type Described = Bad | { readonly ok: true; readonly value: PluginShape };

/** The time for all plug-ins to resolve a URL, in milliseconds, since a person waits. */
const resolveMs = 15_000;

/** Opens the plug-ins of the sources in use. Their promises reject with what `call` and `findSecrets` reject with. */
export function createSourcePlugins({ catalogue, findSecrets, log, call }: SourcePluginsDeps): SourcePlugins {
  /** The shapes of plug-ins by their version: a file that changes is another version. */
  const shapes = new WeakMap<PluginSource, Map<string, PluginShape>>();
  const runProgram = openPrograms();
  /** Why the last description of a plug-in failed, by source. */
  const refused = new Map<
    string,
    { readonly plugin: PluginSource; readonly version: string; readonly message: string }
  >();

  return {
    async open(loaded, signal) {
      const { source, plugin } = loaded;
      const described = await shapeOf(loaded, signal);
      if (!described.ok) return { provider: refusedPlugin(source, described.failure), isCollector: false };
      const ask: CallFunction = (name, input) => callOf(loaded, name, input, signal);
      const warn = (message: string): void => log('warn', message, { source: source.id });
      const provider = openPlugin(source, plugin, described.value, ask, warn);
      return { provider, isCollector: described.value.functions.includes('collect') };
    },

    problemOf(id) {
      const loaded = catalogue().sources.get(id);
      const last = refused.get(id);
      if (last === undefined || last.plugin !== loaded?.plugin || last.version !== loaded.version) return undefined;
      return { file: last.plugin.file, line: 1, column: 1, path: '', message: last.message };
    },

    async read(page, reading, signal) {
      const services = { ...noServices, ...(await tellingOf(reading)) };
      return readByPlugin(page, reading, { call, services }, signal);
    },

    async told(reading, { told = [], ...outcome }) {
      const { log: write, hide } = await tellingOf(reading);
      for (const line of told) write(hiddenLine(line, hide));
      if (outcome.kind !== 'failed') return outcome;
      return { ...outcome, failure: { ...outcome.failure, message: hide(outcome.failure.message) } };
    },

    async resolve(url, fetchFor, signal) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(resolveMs)]);
      const plugged = [...catalogue().sources.values()].filter(isPlugged);
      const matches = await Promise.all(
        plugged.map((loaded) => resolved(loaded, url, fetchFor(loaded.source), within)),
      );
      signal.throwIfAborted();
      return matches.flatMap((match) => match ?? []);
    },

    async authenticate(loaded, fetch, signal) {
      const secrets = await secretsThatAreSet(findSecrets, loaded.source.secrets);
      const services = { secret: (name: string) => secrets.get(name)?.reveal(), fetch };
      const login = await callOf(loaded, 'authenticate', {}, signal, services);
      if (login.ok) return { ok: true, credentials: login.value };
      const { message, cause } = login.failure;
      return { ok: false, message, ...defined({ cause }) };
    },

    async collect(loaded, { args, since, address, services: running, of, reveals }, signal) {
      const { source } = loaded;
      const found = await findSecrets(source.secrets ?? []);
      if (!found.ok) return { code: 'not_initialised', message: found.message };
      const { secrets } = found;
      reveals(secrets.values());
      if (hasCollector(loaded)) {
        const log = logged({ ...of, program: basename(loaded.program.file) });
        const services = {
          ...running,
          log,
          hide: (text: string) => withoutSecrets(running.hide(text), secrets.values()),
        };
        return runProgram(loaded, { args, since, address, secrets }, services, signal);
      }
      const secret = (name: string) => secrets.get(name)?.reveal();
      const services = { ...running, secret, log: logged({ ...of, plugin: source.plugin }) };
      const ended = await callOf(loaded, 'collect', { args, since, address }, signal, services);
      return ended.ok ? undefined : ended.failure;
    },
  };

  async function shapeOf(loaded: PluggedSource, signal: AbortSignal): Promise<Described> {
    const { source, plugin, version } = loaded;
    const known = shapes.get(plugin)?.get(version);
    if (known !== undefined) return { ok: true, value: known };
    const described = await describe(loaded, signal);
    if (described.ok) {
      shapes.set(plugin, new Map([...(shapes.get(plugin) ?? []), [version, described.value]]));
      refused.delete(source.id);
    } else if (!signal.aborted) {
      refused.set(source.id, { plugin, version, message: described.failure.message });
    }
    return described;
  }

  async function describe(loaded: PluggedSource, signal: AbortSignal): Promise<Described> {
    const { source } = loaded;
    const described = await callOf(loaded, 'describe', {}, signal);
    if (!described.ok) return bad(described.failure.code, described.failure.message);
    const [issue] = described.value.optionIssues;
    if (issue !== undefined) {
      const place = ['options', ...issue.path].join('.');
      return bad('plugin_bad_options', `${source.plugin}: refuses the options: ${place}: ${issue.message}`);
    }
    const missing = source.auth?.type === 'plugin' && !described.value.functions.includes('authenticate');
    if (missing)
      return bad('plugin_bad_module', `${source.plugin}: expected a function "authenticate", which auth names`);
    return described;
  }

  async function callOf<F extends PluginFunction>(
    loaded: PluggedSource,
    name: F,
    input: PluginFunctions[F]['input'],
    signal: AbortSignal,
    more: Partial<PluginServices> = {},
  ): Promise<PluginOutcome<PluginFunctions[F]['value']>> {
    const { plugin, source } = loaded;
    const { id, options, secrets } = source;
    const services = { ...noServices, ...(await telling(secrets, { source: id, plugin: source.plugin })), ...more };
    return call({ plugin, function: name, input, options, services, signal });
  }

  /** The services of a call that reads a page. */
  function tellingOf({ source, plugin }: Reading): Promise<Pick<PluginServices, 'log' | 'hide'>> {
    return telling(plugin?.secrets, { source, ...(plugin && { plugin: basename(plugin.plugin.file) }) });
  }

  /** The services by which a call logs, with `of` in each line, and by which the secrets of its source are hidden. */
  async function telling(
    names: readonly string[] | undefined,
    of: Readonly<Record<string, unknown>>,
  ): Promise<Pick<PluginServices, 'log' | 'hide'>> {
    const secrets = await secretsThatAreSet(findSecrets, names);
    return { log: logged(of), hide: (text) => withoutSecrets(text, secrets.values()) };
  }

  function logged(of: Readonly<Record<string, unknown>>): PluginServices['log'] {
    return ({ level, message, data }) => log(level, message, { ...of, ...defined({ data }) });
  }

  async function resolved(
    loaded: PluggedSource,
    url: string,
    fetch: PluginServices['fetch'],
    signal: AbortSignal,
  ): Promise<SourceMatch | undefined> {
    const { source } = loaded;
    try {
      const shape = await shapeOf(loaded, signal);
      if (!shape.ok || !shape.value.functions.includes('resolve')) return undefined;
      const secrets = await secretsThatAreSet(findSecrets, source.secrets);
      const services = { fetch, secret: (name: string) => secrets.get(name)?.reveal() };
      const params = await callOf(loaded, 'resolve', { url }, signal, services);
      if (!params.ok) log('warn', params.failure.message, { source: source.id });
      if (!params.ok || params.value === undefined) return undefined;
      const address = addressOf(source, params.value);
      return address === undefined ? undefined : { source: source.id, params: params.value, url: address };
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }
}

/** The address that parameters make; nothing where they do not fill the source's pattern. */
function addressOf(source: LoadedSource['source'], params: Readonly<Record<string, string>>): string | undefined {
  if (source.url === undefined) return pluginAddress(source.id, params);
  const filled = fillUrl(source.url, params);
  return filled.ok ? filled.url : undefined;
}

/** A failure of a plug-in; one that a person must mend in the definition or the plug-in is a `definition_error`. */
function bad(code: string, message: string): Bad {
  const isOfDefinition = code === 'plugin_bad_module' || code === 'plugin_bad_options';
  return { ok: false, failure: { code: isOfDefinition ? 'definition_error' : code, message } };
}
