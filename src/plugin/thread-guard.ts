import * as fs from 'node:fs';
import { createRequire, isBuiltin, type LoadHookSync, registerHooks, syncBuiltinESMExports } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { PluginFile } from './protocol.ts';

/** The built-in modules that reach the network, other processes or other threads. A plug-in asks the daemon instead. */
const refused: ReadonlySet<string> = new Set(
  'child_process cluster dgram dns dns/promises http http2 https inspector inspector/promises net tls worker_threads'.split(
    ' ',
  ),
);

/** The module format by the extension of a plug-in's file. */
const formats: Readonly<Record<string, string>> = {
  '.ts': 'module-typescript',
  '.mts': 'module-typescript',
  '.js': 'module',
  '.mjs': 'module',
};

/** The extensions that a plug-in's file may have. */
const pluginEndings: readonly string[] = Object.keys(formats);

/** Whether plug-ins may not import a built-in module, with or without `node:`. */
function isRefused(specifier: string): boolean {
  const name = specifier.replace(/^node:/, '');
  return isBuiltin(specifier) && (refused.has(name) || /^_(?:http|tls)_/.test(name));
}

/** The error message for an import that is refused. */
function refusal(specifier: string, importer?: string): string {
  const by = importer === undefined ? '' : ` by ${importer}`;
  return `import of "${specifier}"${by} is refused: a plug-in has no network, process or thread of its own, use context.fetch`;
}

/** Loads the modules of plug-ins. Each version is loaded by itself. */
export interface ModuleLoader {
  /** Loads a module and resolves with its exports. Rejects with the error of a module that cannot be loaded. */
  load(plugin: PluginFile): Promise<object>;
}

/** The address of a plug-in version's module on the thread. */
export function moduleUrl({ file, version }: Pick<PluginFile, 'file' | 'version'>): string {
  return `${pathToFileURL(file).href}?v=${encodeURIComponent(version)}`;
}

/**
 * Checks every import of this thread from now on. The module `own` and everything that it imports is trusted; all other
 * modules belong to plug-ins, whose refused imports then throw an `Error`. Call it before any other module of the daemon is loaded.
 */
export function guardImports(own: string): ModuleLoader {
  const ours = new Set([own, import.meta.url]);
  const entries = new Map<string, PluginFile>();
  const contract = new URL(`../provider/define${extname(import.meta.url)}`, import.meta.url).href;

  registerHooks({
    resolve(specifier, context, next) {
      const importer = context.parentURL;
      const isOurs = importer !== undefined && ours.has(importer);
      if (isOurs && entries.has(specifier)) return { url: specifier, shortCircuit: true };
      if (!isOurs && isRefused(specifier)) throw new Error(refusal(specifier, nameOf(importer)));
      if (!isOurs && specifier === 'heronry/provider') {
        ours.add(contract);
        return { url: contract, shortCircuit: true };
      }
      const resolved = next(specifier, context);
      if (isOurs) ours.add(resolved.url);
      return isOurs ? resolved : { ...resolved, url: withVersion(resolved.url, importer) };
    },
  });

  return {
    load(plugin) {
      if (entries.size === 0) registerHooks({ load });
      const url = moduleUrl(plugin);
      entries.set(url, plugin);
      return import(url) as Promise<object>;
    },
  };

  /** Loads plug-ins from memory. Registered late, as modules that pass through such a hook are not taken from the compile cache. */
  function load(...[url, context, next]: Parameters<LoadHookSync>): ReturnType<LoadHookSync> {
    const entry = entries.get(url);
    if (entry === undefined) return next(url, context);
    return { format: formats[extname(entry.file)] ?? 'module', source: entry.source, shortCircuit: true };
  }
}

/** The address of a plug-in's further file, with the plug-in's version, so that it is loaded anew with the plug-in. */
function withVersion(url: string, importer: string | undefined): string {
  const version = importer === undefined ? null : (URL.parse(importer)?.searchParams.get('v') ?? null);
  const isOwnFile = url.startsWith('file:') && !url.includes('?') && !url.includes('/node_modules/');
  return version !== null && isOwnFile && pluginEndings.includes(extname(url))
    ? `${url}?v=${encodeURIComponent(version)}`
    : url;
}

function nameOf(importer: string | undefined): string | undefined {
  const bare = importer?.replace(/\?.*$/, '');
  return bare?.startsWith('file:') === true ? fileURLToPath(bare) : bare;
}

/** The callbacks of the replaced globals of a thread. */
export interface GlobalsWatch {
  /** Called with text that was written to the process's output. */
  onOutput(level: 'info' | 'warn', text: string): void;
  /** Called when the plug-in tries to end the process. */
  onExit(code: unknown): void;
}

/** The functions of `fs` whose first argument may be one of the daemon's own three files. */
const fileFunctions = [
  'appendFile',
  'appendFileSync',
  'close',
  'closeSync',
  'write',
  'writeFile',
  'writeFileSync',
  'writeSync',
  'writev',
  'writevSync',
] as const;

/** Replaces the globals that reach beyond the thread: network, process and output. */
export function replaceGlobals(watch: GlobalsWatch): void {
  for (const name of ['fetch', 'WebSocket', 'EventSource'] as const) {
    // To define what is there would first load Node's own undici, of which the globals are made at their first use.
    Reflect.deleteProperty(globalThis, name);
    define(globalThis, name, function refusedGlobal() {
      throw new Error(`${name} is refused: a plug-in has no network of its own, use context.fetch`);
    });
  }
  for (const name of ['kill', 'abort', 'chdir', 'dlopen', '_kill', '_debugProcess'] as const) {
    define(process, name, () => {
      throw new Error(`process.${name} is refused: a plug-in is a part of the daemon's process`);
    });
  }
  for (const name of ['exit', 'reallyExit'] as const) {
    define(process, name, (code?: unknown) => {
      watch.onExit(code ?? process.exitCode ?? 0);
      throw new Error('process.exit ends the call');
    });
  }
  define(process, 'getBuiltinModule', builtinOrRefuse(process.getBuiltinModule));
  redirectOutput(watch);
  syncBuiltinESMExports();
}

function redirectOutput(watch: GlobalsWatch): void {
  define(process.stdout, 'write', writer('info'));
  define(process.stderr, 'write', writer('warn'));
  define(process, '_rawDebug', (...parts: readonly unknown[]) => watch.onOutput('warn', parts.join(' ')));
  process.removeAllListeners('warning');
  process.on('warning', (warning) => watch.onOutput('warn', `${warning.name}: ${warning.message}`));
  const mutable = createRequire(import.meta.url)('node:fs') as typeof fs;
  for (const name of fileFunctions) define(mutable, name, exceptOwnFiles(name, fs[name]));

  function writer(level: 'info' | 'warn') {
    return (chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
      watch.onOutput(level, chunk instanceof Uint8Array ? Buffer.from(chunk).toString('utf8') : String(chunk));
      const callback = typeof encoding === 'function' ? encoding : done;
      if (typeof callback === 'function') process.nextTick(() => Reflect.apply(callback, undefined, []));
      return true;
    };
  }
}

/** The function, refusing file descriptors 0, 1 and 2, which are the daemon's. */
function exceptOwnFiles<F extends (typeof fs)[(typeof fileFunctions)[number]]>(name: string, original: F): F {
  return new Proxy(original, {
    apply(target, self, args: readonly unknown[]): unknown {
      const [file] = args;
      if (file !== 0 && file !== 1 && file !== 2) return Reflect.apply(target, self, args);
      throw new Error(`fs.${name} of file ${file} is refused: it is the daemon's, use context.log`);
    },
  });
}

function builtinOrRefuse(original: typeof process.getBuiltinModule) {
  return (name: string): unknown => {
    if (isRefused(name)) throw new Error(refusal(name));
    return original(name);
  };
}

function define(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: true });
}
