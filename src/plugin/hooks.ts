import { isBuiltin, registerHooks } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { PluginFile } from './protocol.ts';

/** What reaches the network, other processes or other threads: a plug-in asks the daemon instead. */
const refused: ReadonlySet<string> = new Set(
  'child_process cluster dgram dns dns/promises http http2 https inspector inspector/promises net tls worker_threads'.split(
    ' ',
  ),
);

/** By the ending of a plug-in's name. */
const formats: Readonly<Record<string, string>> = {
  '.ts': 'module-typescript',
  '.mts': 'module-typescript',
  '.js': 'module',
  '.mjs': 'module',
};

/** The endings that a plug-in's file may have. */
export const pluginEndings: readonly string[] = Object.keys(formats);

/** Whether a built-in module is kept from plug-ins; with or without `node:`. */
export function isRefused(specifier: string): boolean {
  const name = specifier.replace(/^node:/, '');
  return isBuiltin(specifier) && (refused.has(name) || /^_(?:http|tls)_/.test(name));
}

/** The sentence for an import that is refused. */
export function refusal(specifier: string, importer?: string): string {
  const by = importer === undefined ? '' : ` by ${importer}`;
  return `import of "${specifier}"${by} is refused: a plug-in has no network, process or thread of its own, use context.fetch`;
}

/** Loads the modules of plug-ins, each version by itself. */
export interface ModuleLoader {
  /** The module's exports; rejects with what is wrong with it. */
  load(plugin: PluginFile): Promise<object>;
}

/** The address a version's module goes by on the thread. */
export function moduleUrl({ file, version }: Pick<PluginFile, 'file' | 'version'>): string {
  return `${pathToFileURL(file).href}?v=${encodeURIComponent(version)}`;
}

/**
 * Watches over every import of this thread from now on. What `own`, the first module of ours, imports and what that imports
 * are trusted; all others are plug-ins or of their folders. Call it before any other module of ours is loaded.
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
    load(url, context, next) {
      const entry = entries.get(url);
      if (entry === undefined) return next(url, context);
      return { format: formats[extname(entry.file)] ?? 'module', source: entry.source, shortCircuit: true };
    },
  });

  return {
    load(plugin) {
      const url = moduleUrl(plugin);
      entries.set(url, plugin);
      return import(url) as Promise<object>;
    },
  };
}

/** A plug-in's own further files are loaded anew with it. */
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
