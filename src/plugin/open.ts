import { defined } from '../defined.ts';
import type { PluginSource } from '../definition/plugin-file.ts';
import { addressParts } from '../definition/target-address.ts';
import type { Source } from '../definition/source.ts';
import type { Extraction } from '../extract/draft.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import { typedDrafts } from '../extract/record.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { Advice, Ask, AskFailure } from '../provider/define.ts';
import { planOf } from '../provider/plans.ts';
import type { Hop, ListPlace, MadeRequest, OpenList, OpenProvider, Reading } from '../provider/provider.ts';
import { openPulse } from '../provider/pulse.ts';
import { requestOf } from '../provider/requests.ts';
import type { PluginFunction, PluginFunctions, PluginOutcome, PluginRead, PluginShape } from './protocol.ts';

/** Calls a function of one plug-in that needs no service of the daemon. */
export type CallFunction = <F extends PluginFunction>(
  name: F,
  input: PluginFunctions[F]['input'],
) => Promise<PluginOutcome<PluginFunctions[F]['value']>>;

/** The page limit of a scrape after the first where the plug-in sets none. */
const usualPages = 5;

/**
 * Opens a source whose plug-in is called page by page. Its requests and advice reject with what `call` rejects with.
 *
 * @param warn - called when a call for advice failed.
 */
export function openPlugin(
  source: Source,
  plugin: PluginSource,
  shape: PluginShape,
  call: CallFunction,
  warn: (message: string) => void,
): OpenProvider {
  const reading: Reading = {
    source: source.id,
    plan: { ...planOf(source), mayBeEmpty: true },
    limitMs: source.limits.extract,
    plugin: { plugin, options: source.options, secrets: source.secrets ?? [] },
  };
  const pulse = openPulse(source);
  const advises = shape.functions.includes('onFailure');
  return {
    page: reading,
    list: listOf(reading, shape),
    request,
    ...defined({ pulse, advise: advises ? advise : undefined }),
  };

  async function advise(failure: AskFailure): Promise<Advice | undefined> {
    const advised = await call('onFailure', failure);
    if (advised.ok) return advised.value;
    warn(advised.failure.message);
    return undefined;
  }

  async function request(
    url: string,
    copy?: FetchRequest['validators'],
    hop?: Hop,
    at: ListPlace = { url, page: 1 },
  ): Promise<MadeRequest> {
    const { cursor, page, size } = at;
    const plain = typeof cursor === 'string' || typeof cursor === 'number' ? cursor : undefined;
    const place = { ...addressParts(source, at.url), page, ...defined({ cursor: plain, pageSize: size }) };
    const asked = await call('request', place);
    if (!asked.ok) return { failure: asked.failure };
    const made = pluginRequest(source, asked.value);
    if (hop !== undefined) return hoppedRequest(source, made, url, hop);
    const isPlain = made.body === undefined && made.method !== 'POST' && made.url === url;
    return isPlain && copy !== undefined
      ? { ...made, validators: defined({ etag: copy.etag, lastModified: copy.lastModified }) }
      : made;
  }
}

/** Opens a source whose plug-in cannot be used: every request fails with `failure`. */
export function refusedPlugin(
  source: Source,
  failure: { readonly code: string; readonly message: string },
): OpenProvider {
  return {
    page: { source: source.id, plan: planOf(source), limitMs: source.limits.extract },
    request: () => Promise.resolve({ failure }),
  };
}

/** The request that a plug-in asks for, with the headers of the definition and within the limits of its source. */
export function pluginRequest(source: Source, { url, method, headers, form, json }: Ask): FetchRequest {
  const all = { ...source.request.headers, ...headers };
  const body = form !== undefined ? { form } : json !== undefined ? { json } : undefined;
  return {
    ...requestOf(source, url),
    ...defined({ method, headers: Object.keys(all).length > 0 ? all : undefined, body }),
  };
}

/**
 * The request after a redirect. Its body is kept only if the status says so, and its headers only within the same
 * origin.
 */
export function hoppedRequest(source: Source, made: FetchRequest, url: string, hop: Hop): FetchRequest {
  if (!hop.isHome) return requestOf(source, url);
  const { body, method, ...plain } = made;
  return { ...plain, url, ...(hop.keepsMethod && defined({ body, method })) };
}

/** A list that goes on while its pages name a next one. */
function listOf(reading: Reading, { pageSize, maxPages = usualPages }: PluginShape): OpenList {
  return {
    reading,
    maxPages,
    isLinked: false,
    isCounted: false,
    first: (url, visit) => defined({ url, page: 1, size: pageSize?.[visit] }),
    after({ url, page, size }, { extraction: { next } }) {
      if (typeof next !== 'string' && typeof next !== 'number') return undefined;
      return defined({ url, page: page + 1, cursor: next, size });
    },
  };
}

/** Converts what a plug-in read into an extraction, with the types that its definition declares. */
export function extractionOf(read: PluginRead, plan: ExtractPlan, url: string, observedAt: number): Extraction {
  const { drafts, refused, absent, unparsed, repeated, notes } = typedDrafts(read.drafts, plan, url, observedAt);
  const [first, second] = plan.records;
  const record = first !== undefined && second === undefined ? first.type : '';
  const lost = read.unparsed.map(({ field, text, expected }) => ({ record, field, text, expected }));
  return {
    drafts,
    finished: read.finished,
    items: read.drafts.length,
    refused,
    ...defined({ repeated, next: read.next, notes: notes.length > 0 ? notes : undefined }),
    absent,
    unparsed: [...unparsed, ...lost].slice(0, maxUnparsed),
  };
}

/** The largest number of unparsed values that are kept of one page. */
const maxUnparsed = 100;
