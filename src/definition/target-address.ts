import { pluginAddress } from './plugin-address.ts';
import type { Issue } from './reference.ts';
import type { Source } from './source.ts';
import { fillUrl } from './url-pattern.ts';

/** Where a target is, or why nobody knows, and of what part of the target that is said. */
export type TargetAddress =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly path: Issue['path']; readonly message: string };

/** The address that a target names, or that its parameters make by its source. */
export function targetAddress(
  { id, url: pattern, plugin }: Source,
  { url, params = {} }: { readonly url?: string | undefined; readonly params?: Record<string, string> | undefined },
): TargetAddress {
  if (url !== undefined) return { ok: true, url };
  if (pattern === undefined && plugin !== undefined) return { ok: true, url: pluginAddress(id, params) };
  if (pattern === undefined) {
    const instead = Object.keys(params).length === 0 ? '' : ' in place of "params"';
    return { ok: false, path: [], message: `source "${id}" has no address pattern: expected "url"${instead}` };
  }
  const filled = fillUrl(pattern, params);
  if (filled.ok) return filled;
  const told = [
    ...filled.missing.map((name) => `expected a value for "${name}"`),
    ...filled.unknown.map((name) => `"${name}" is not in the pattern`),
  ];
  return { ok: false, path: ['params'], message: `${told.join('; ')}: source "${id}" has ${pattern}` };
}
