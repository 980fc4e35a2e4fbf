import { hash } from 'node:crypto';
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
