import type { Source } from './source.ts';
import { matchUrl } from './url-pattern.ts';

/** The address of a target whose source has no pattern, as its plug-in alone knows where it is: `plugin:register?topic=sleep`. */
export function pluginAddress(source: string, params: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  const query = new URLSearchParams(sorted).toString();
  return `plugin:${source}${query === '' ? '' : `?${query}`}`;
}

/** What a target's address says of where it is. */
export interface TargetPlace {
  readonly params: Readonly<Record<string, string>>;
  /** The address itself, where it is one of the web. */
  readonly url?: string;
}

/** Takes a target's address apart, as its source's plug-in is told it. */
export function placeOfTarget({ url: pattern }: Source, address: string): TargetPlace {
  if (address.startsWith('plugin:')) return { params: Object.fromEntries(new URL(address).searchParams) };
  const params = pattern === undefined ? undefined : matchUrl(pattern, address);
  return { params: params ?? {}, url: address };
}
