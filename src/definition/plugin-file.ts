import { hash } from 'node:crypto';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { maxFileBytes, readRegularFile } from './file.ts';

/** A plug-in's file as it was read. */
export interface PluginSource {
  /** Absolute. */
  readonly file: string;
  /** 16 hexadecimal digits of the SHA-256 of its content. */
  readonly version: string;
  readonly source: string;
}

/** A plug-in's file, or why it could not be read. */
export type ReadPlugin =
  | { readonly ok: true; readonly plugin: PluginSource }
  /** The end of a sentence about the plug-in. */
  | { readonly ok: false; readonly message: string };

/** Reads the file of a plug-in; `name` is one that `PluginName` takes. Its code is not run. */
export async function readPlugin(folder: string, name: string): Promise<ReadPlugin> {
  const file = join(resolve(folder), name);
  const found = await readRegularFile(file, maxFileBytes);
  if (!found.ok) return found;
  const source = found.bytes.toString('utf8');
  return { ok: true, plugin: { file, version: hash('sha256', found.bytes, 'hex').slice(0, 16), source } };
}

/** The names of imported modules, where they stand in the text. */
const imports = /\b(?:from|import|(?:import|require)\s*\()\s*(['"`])([^'"`]*)\1/g;

/** The places of a text by which a module finds further files by names that are reckoned. */
const lookups = /\bimport\.meta\b|\bcreateRequire\b|\b(?:import|require)\s*\(\s*[^'"\s]/;

const known = new WeakMap<PluginSource, boolean>();

/**
 * Whether a plug-in needs no further file, so that its text alone can be run on another machine: it imports `heronry/provider` and what Node has. Judged by its text;
 * in doubt it is not.
 */
export function isSelfContained(plugin: PluginSource): boolean {
  const isKnown = known.get(plugin);
  if (isKnown !== undefined) return isKnown;
  const { source } = plugin;
  const isOwn = (name = ''): boolean => name === 'heronry/provider' || isBuiltin(name);
  const found = !lookups.test(source) && [...source.matchAll(imports)].every(([, , name]) => isOwn(name));
  known.set(plugin, found);
  return found;
}
