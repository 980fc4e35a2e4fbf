import { hash } from 'node:crypto';
import type { Source } from './source.ts';

/** Names a definition by its content: 16 hexadecimal digits of the SHA-256 of its normal form. The order of keys, defaults written out and comments make no difference; `plugin` is the version of its plug-in's file. */
export function definitionVersion(source: Source, plugin = ''): string {
  return hash('sha256', JSON.stringify(source, inKeyOrder) + plugin, 'hex').slice(0, 16);
}

function inKeyOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
