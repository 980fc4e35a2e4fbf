import { sourcesOf } from '../../definition/resolve.ts';
import { matchUrl } from '../../definition/url-pattern.ts';
import { inSlices } from '../../store/slices.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { NewTarget, TargetInput } from '../methods/target.ts';
import type { ResolvedUrl } from '../methods/source.ts';
import type { HandlerDeps } from './deps.ts';

/** Sources that an error names, at most. */
const maxNamed = 20;

export function resolveHandlers(deps: HandlerDeps): Pick<Handlers, 'source.resolve'> {
  return {
    'source.resolve': async ({ url }, { signal }) => ({ matches: await matchesOf(url, deps, signal) }),
  };
}

/**
 * A target whose source is known: the one that it names, else the only one that its address belongs to. Throws a
 * `ControlError` where there is none or more than one, and where a project tracks that address there already.
 */
export async function withSource(target: NewTarget, deps: HandlerDeps, signal: AbortSignal): Promise<TargetInput> {
  const { source, url, ...rest } = target;
  if (source !== undefined) return { ...rest, source, ...(url !== undefined && { url }) };
  if (url === undefined)
    throw new ControlError('invalid_params', 'expected "source", as there is no "url" to find it by');
  const matches = await matchesOf(url, deps, signal);
  const [match] = matches;
  if (match === undefined) throw new ControlError('invalid_params', `no source knows ${url}: ${knownText(deps)}`);
  if (matches.length > 1) {
    const ids = matches.map((each) => each.source).join(', ');
    throw new ControlError('invalid_params', `${url} may be on ${ids}: expected "source" to name one of them`);
  }
  if (match.project !== undefined)
    throw new ControlError('conflict', `exists: project "${match.project}" tracks ${match.url} on ${match.source}`);
  return { ...rest, source: match.source, url: match.url };
}

/** What a plug-in makes of an address comes first, as it knows its site best. */
async function matchesOf(url: string, deps: HandlerDeps, signal: AbortSignal): Promise<ResolvedUrl[]> {
  const loaded = Array.from(deps.catalogue().sources.values(), ({ source }) => source);
  const told = (await deps.resolve?.(url, signal)) ?? [];
  const matches = told.length > 0 ? told : sourcesOf(loaded, url);
  return Promise.all(
    matches.map(async (match) => {
      const project = await trackedBy(match.source, match.url, deps);
      return {
        source: match.source,
        ...(match.params && { params: { ...match.params } }),
        url: match.url,
        ...(project !== undefined && { project }),
      };
    }),
  );
}

/** The project that has a target at an address of a source, archived ones left out. */
async function trackedBy(source: string, url: string, deps: HandlerDeps): Promise<string | undefined> {
  const { targets, projects } = deps.store();
  const pattern = deps.catalogue().sources.get(source)?.source.url;
  const place = placeOf(pattern, url);
  for await (const numbers of inSlices<number>((after, limit) => targets.numbersOfSource(source, { after, limit }))) {
    for (const number of numbers) {
      const target = targets.get(number);
      if (target === undefined || target.status === 'disabled' || placeOf(pattern, target.url) !== place) continue;
      if (projects.get(target.project)?.status === 'active') return target.project;
    }
  }
  return undefined;
}

/** Equal for addresses that are two spellings of one. */
function placeOf(pattern: string | undefined, url: string): string {
  const params = pattern === undefined ? undefined : matchUrl(pattern, url);
  if (params !== undefined) return JSON.stringify(Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1)));
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  parsed.hash = '';
  return parsed.href;
}

function knownText({ catalogue }: HandlerDeps): string {
  const sources = Array.from(catalogue().sources.values(), ({ source: { id, url } }) =>
    url === undefined ? id : `${id} (${url})`,
  );
  if (sources.length === 0) return 'there are no sources';
  const more = sources.length > maxNamed ? ` and ${sources.length - maxNamed} more` : '';
  return `there are ${sources.slice(0, maxNamed).join(', ')}${more}`;
}
