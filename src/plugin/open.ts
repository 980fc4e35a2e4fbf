import type { PluginSource } from '../definition/plugin-file.ts';
import { placeOfTarget } from '../definition/plugin-address.ts';
import type { Source } from '../definition/source.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { Ask } from '../provider/define.ts';
import { planOf } from '../provider/plans.ts';
import type { Hop, ListPlace, MadeRequest, OpenList, OpenProvider, Reading } from '../provider/provider.ts';
import { openPulse } from '../provider/pulse.ts';
import { requestOf } from '../provider/requests.ts';
import type { PluginFunction, PluginFunctions, PluginOutcome, PluginShape } from './protocol.ts';

/** Calls functions of one plug-in that need no service of the daemon. */
export type CallFunction = <F extends PluginFunction>(
  name: F,
  input: PluginFunctions[F]['input'],
) => Promise<PluginOutcome<PluginFunctions[F]['value']>>;

/** A scrape after the first asks for no more pages where the plug-in says nothing else. */
const usualPages = 5;

/** Opens a source whose plug-in is asked page by page; `warn` hears of advice that it could not give. */
export function openPlugin(
  source: Source,
  plugin: PluginSource,
  shape: PluginShape,
  call: CallFunction,
  warn: (message: string) => void,
): OpenProvider {
  const reading: Reading = {
    plan: { ...planOf(source), mayBeEmpty: true },
    limitMs: source.limits.extract,
    plugin: { plugin, options: source.options, source: source.id, secrets: source.secrets ?? [] },
  };
  const pulse = openPulse(source);
  const hasAdvice = shape.functions.includes('onFailure');
  return {
    page: reading,
    list: listOf(reading, shape),
    ...(pulse !== undefined && { pulse }),
    request,
    ...(hasAdvice && {
      async advise(failure) {
        const advised = await call('onFailure', failure);
        if (advised.ok) return advised.value;
        warn(advised.failure.message);
        return undefined;
      },
    }),
  };

  async function request(
    url: string,
    copy?: FetchRequest['validators'],
    hop?: Hop,
    at: ListPlace = { url, page: 1 },
  ): Promise<MadeRequest> {
    const { cursor, page, size } = at;
    const asked = await call('request', {
      ...placeOfTarget(source, at.url),
      ...((typeof cursor === 'string' || typeof cursor === 'number') && { cursor }),
      page,
      ...(size !== undefined && { pageSize: size }),
    });
    if (!asked.ok) return { failure: asked.failure };
    const made = pluginRequest(source, asked.value);
    if (hop !== undefined) return hoppedRequest(source, made, url, hop);
    const isPlain = made.body === undefined && made.method !== 'POST' && made.url === url;
    return isPlain && copy !== undefined ? { ...made, validators: validatorsOf(copy) } : made;
  }
}

/** A source whose plug-in is no good: whoever asks learns why. */
export function refusedPlugin(
  source: Source,
  failure: { readonly code: string; readonly message: string },
): OpenProvider {
  return {
    page: { plan: planOf(source), limitMs: source.limits.extract },
    request: () => Promise.resolve({ failure }),
  };
}

/** A request that a plug-in wants made, with what the definition has sent, within the limits of its source. */
export function pluginRequest(source: Source, { url, method, headers, form, json }: Ask): FetchRequest {
  const all = { ...source.request.headers, ...headers };
  const body = form !== undefined ? { form } : json !== undefined ? { json } : undefined;
  return {
    ...requestOf(source, url),
    ...(method !== undefined && { method }),
    ...(Object.keys(all).length > 0 && { headers: all }),
    ...(body !== undefined && { body }),
  };
}

/** The request that a redirect makes of one: its body goes along only if the site says so, and its headers only to the same origin. */
export function hoppedRequest(source: Source, made: FetchRequest, url: string, hop: Hop): FetchRequest {
  if (!hop.isHome) return requestOf(source, url);
  const { body, method, ...plain } = made;
  const kept = { ...(body !== undefined && { body }), ...(method !== undefined && { method }) };
  return { ...plain, url, ...(hop.keepsMethod && kept) };
}

function validatorsOf({ etag, lastModified }: NonNullable<FetchRequest['validators']>) {
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}

/** A list that goes on as long as its pages name a next one. */
function listOf(reading: Reading, { pageSize, maxPages = usualPages }: PluginShape): OpenList {
  return {
    reading,
    maxPages,
    pinned: 0,
    isCounted: false,
    first: (url, visit) => ({ url, page: 1, ...(pageSize !== undefined && { size: pageSize[visit] }) }),
    after({ url, page, size }, { extraction: { next } }) {
      if (typeof next !== 'string' && typeof next !== 'number') return undefined;
      return { url, page: page + 1, cursor: next, ...(size !== undefined && { size }) };
    },
  };
}
