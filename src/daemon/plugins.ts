import { basename } from 'node:path';
import type { LoadedSource } from '../definition/catalogue.ts';
import type { PluginSource } from '../definition/plugin-file.ts';
import type { Problem } from '../definition/problem.ts';
import type { SourceMatch } from '../definition/resolve.ts';
import { fillUrl } from '../definition/url-pattern.ts';
import { pluginAddress } from '../definition/plugin-address.ts';
import type { StepFailure } from '../engine/step.ts';
import type { Page } from '../fetch/page.ts';
import type { PluginFunction, PluginFunctions, PluginOutcome, PluginShape } from '../plugin/protocol.ts';
import { type CallFunction, openPlugin, refusedPlugin } from '../plugin/open.ts';
import { extractionOf } from '../plugin/read.ts';
import { noServices, type PluginServices } from '../plugin/services.ts';
import type { OpenProvider, Reading } from '../provider/provider.ts';
import type { Secret } from '../session/secret.ts';
import type { FindSecrets } from '../session/secret-store.ts';
import type { PluginLogin } from '../session/plugin-login.ts';
import { decodeBody } from '../extract/charset.ts';
import type { Extraction } from '../extract/draft.ts';
import { type Excerpt, headBytes, takeExcerpt } from '../extract/excerpt.ts';
import { gaveNothing } from '../extract/extract.ts';
import type { Failure } from '../store/rows.ts';
import type { Names } from '../../supervisors/names.ts';
import { callPlugin } from '../../workers/plugins.ts';
import type { Asking } from './asking.ts';
import { loginFetch } from './plugin-fetch.ts';
import { createPluginSecrets } from './plugin-secrets.ts';
import type { DaemonState } from './state.ts';
import type { Log } from './teller.ts';

export interface PluginsParts {
  readonly names: Names;
  readonly state: Pick<DaemonState, 'catalogue' | 'clock'>;
  readonly findSecrets: FindSecrets;
  readonly log: Log;
}

/** A source with a plug-in. */
export type PluggedSource = LoadedSource & { readonly plugin: PluginSource };

/** A source as its plug-in asks and reads it; every request of one that is no good fails. */
export interface OpenedPlugin {
  readonly provider: OpenProvider;
  /** Whether it goes its own way, in place of being asked page by page. */
  readonly isCollector: boolean;
}

/** Plug-ins as the rest of the daemon uses them. */
export interface Plugins {
  open(loaded: PluggedSource, signal: AbortSignal): Promise<OpenedPlugin>;
  /** Why a source's plug-in could not be used when it was last looked at, in the version of the source that is in use. */
  problemOf(source: string): Problem | undefined;
  /** Reads a page; its body moves to a thread. */
  read(page: Page, reading: Reading, signal: AbortSignal): Promise<ReadPage>;
  /** What plug-ins make of an address that a person gave; one that fails or takes too long knows nothing of it. */
  resolve(url: string, signal: AbortSignal): Promise<readonly SourceMatch[]>;
  authenticate(loaded: PluggedSource, exchange: Asking['exchange'], signal: AbortSignal): Promise<PluginLogin>;
  /** Runs a collector to its end. */
  collect(
    loaded: PluggedSource,
    args: readonly string[],
    services: Pick<PluginServices, 'began' | 'fetch' | 'collected'>,
    told: {
      secrets(secrets: Iterable<Secret>): void;
      hide(text: string): string;
      readonly of: Readonly<Record<string, unknown>>;
    },
    signal: AbortSignal,
  ): Promise<Failure | undefined>;
}

type Bad = { readonly ok: false; readonly failure: StepFailure };

type Described = Bad | { readonly ok: true; readonly value: PluginShape };

type ReadPage =
  /** `excerpt` is the beginning of a page that gave nothing. */
  | { readonly ok: true; readonly extraction: Extraction; readonly excerpt?: Excerpt }
  | { readonly ok: false; readonly failure: StepFailure };

/** A person waits for what plug-ins make of an address. */
const resolveMs = 5_000;

export function isPlugged(loaded: LoadedSource): loaded is PluggedSource {
  return loaded.plugin !== undefined;
}

export function createPlugins({ names, state, findSecrets, log }: PluginsParts): Plugins {
  /** What was described once stays so: a file that changes is another version. */
  const shapes = new WeakMap<PluginSource, Map<string, PluginShape>>();
  /** What the last look at a plug-in failed with, by source. */
  const refused = new Map<
    string,
    { readonly plugin: PluginSource; readonly version: string; readonly message: string }
  >();
  const pool = names.plugins.via('plugins');
  const { secretsOf, telling, logged } = createPluginSecrets({ clock: state.clock, findSecrets, log });

  return {
    async open(loaded, signal) {
      const { source, plugin } = loaded;
      const described = await shapeOf(loaded, signal);
      if (!described.ok) return { provider: refusedPlugin(source, described.failure), isCollector: false };
      const ask: CallFunction = (name, input) => call(loaded, name, input, signal);
      const warn = (message: string): void => log('warn', message, { source: source.id });
      const provider = openPlugin(source, plugin, described.value, ask, warn);
      return { provider, isCollector: described.value.functions.includes('collect') };
    },

    problemOf(id) {
      const loaded = state.catalogue().sources.get(id);
      const last = refused.get(id);
      if (last === undefined || last.plugin !== loaded?.plugin || last.version !== loaded.version) return undefined;
      return { file: last.plugin.file, line: 1, column: 1, path: '', message: last.message };
    },

    async read({ body, url, status, headers }, { plan, plugin: reading }, signal) {
      if (reading === undefined) throw new Error(`${url}: no plug-in reads it`);
      const head = new Uint8Array(body.slice(0, headBytes));
      const isCut = body.byteLength > headBytes;
      const input = { url, status, headers, body };
      const { plugin, options, source, secrets } = reading;
      const services = { ...noServices, ...(await telling(secrets, { source, plugin: basename(plugin.file) })) };
      const read = await callPlugin(pool, { plugin, function: 'read', input, options, services, signal });
      if (!read.ok) return read;
      const extraction = extractionOf(read.value, plan, url);
      if (!gaveNothing(extraction)) return { ok: true, extraction };
      return { ok: true, extraction, excerpt: takeExcerpt(decodeBody(head, headers['content-type']), { isCut }) };
    },

    async resolve(url, signal) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(resolveMs)]);
      const plugged = [...state.catalogue().sources.values()].filter(isPlugged);
      const matches = await Promise.all(plugged.map((loaded) => resolved(loaded, url, within)));
      signal.throwIfAborted();
      return matches.flatMap((match) => match ?? []);
    },

    async authenticate(loaded, exchange, signal) {
      const { source, plugin } = loaded;
      const secrets = await secretsOf(source.secrets);
      const services = {
        ...noServices,
        ...(await telling(source.secrets, { source: source.id, plugin: source.plugin })),
        secret: (name: string) => secrets.get(name)?.reveal(),
        fetch: loginFetch(source, exchange),
      };
      const asked = { plugin, function: 'authenticate', input: {}, options: source.options, services, signal } as const;
      const login = await callPlugin(pool, asked);
      if (login.ok) return { ok: true, credentials: login.value };
      const { message, cause } = login.failure;
      return { ok: false, message, ...(cause !== undefined && { cause }) };
    },

    async collect(loaded, args, scraping, told, signal) {
      const { source, plugin } = loaded;
      const secrets = await secretsOf(source.secrets);
      told.secrets(secrets.values());
      const services: PluginServices = {
        ...scraping,
        secret: (name) => secrets.get(name)?.reveal(),
        log: logged({ ...told.of, plugin: source.plugin }),
        hide: told.hide,
      };
      const asked = {
        plugin,
        function: 'collect',
        input: { args },
        options: source.options,
        services,
        signal,
      } as const;
      const ended = await callPlugin(pool, asked);
      if (ended.ok) return undefined;
      const { code, message, cause } = ended.failure;
      return { code, message, ...(cause !== undefined && { cause }) };
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
    const described = await call(loaded, 'describe', {}, signal);
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

  async function call<F extends PluginFunction>(
    loaded: PluggedSource,
    name: F,
    input: PluginFunctions[F]['input'],
    signal: AbortSignal,
  ): Promise<PluginOutcome<PluginFunctions[F]['value']>> {
    const { plugin, source } = loaded;
    const { id, options, secrets } = source;
    const services = { ...noServices, ...(await telling(secrets, { source: id, plugin: source.plugin })) };
    return callPlugin(pool, { plugin, function: name, input, options, services, signal });
  }

  async function resolved(loaded: PluggedSource, url: string, signal: AbortSignal): Promise<SourceMatch | undefined> {
    const { source } = loaded;
    try {
      const shape = await shapeOf(loaded, signal);
      if (!shape.ok || !shape.value.functions.includes('resolve')) return undefined;
      const told = await call(loaded, 'resolve', { url }, signal);
      if (!told.ok) log('warn', told.failure.message, { source: source.id });
      if (!told.ok || told.value === undefined) return undefined;
      const address = addressOf(source, told.value);
      return address === undefined ? undefined : { source: source.id, params: told.value, url: address };
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

/** What a person has to mend in the definition or its plug-in is an error of the definition. */
function bad(code: string, message: string): Bad {
  const isOfDefinition = code === 'plugin_bad_module' || code === 'plugin_bad_options';
  return { ok: false, failure: { code: isOfDefinition ? 'definition_error' : code, message } };
}
