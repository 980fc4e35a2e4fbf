import { isLoopbackUrl } from '../../definition/loopback.ts';
import { pageId } from '../../definition/page.ts';
import { askedAddress, sourcesOf } from '../../definition/target-address.ts';
import { fillUrl } from '../../definition/url-pattern.ts';
import { ownerOf, projectsOf } from '../../schedule/watchers.ts';
import { defined } from '../../defined.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { NewTarget, TargetInput } from '../methods/target.ts';
import type { ResolvedUrl } from '../methods/source.ts';
import type { Ports } from './ports.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'sources'>;

/** The most sources that an error names. */
const maxNamed = 20;

/** Creates the handler that finds the sources of an address. */
export function resolveHandlers(deps: Deps): Pick<Handlers, 'source.resolve'> {
  return {
    'source.resolve': async ({ url }, { signal }) => ({ matches: await matchesOf(url, deps, signal) }),
  };
}

/**
 * Resolves with a target and its source: the one that it names, else the only one that its address belongs to. Rejects with a
 * `ControlError` where there is no such source or more than one, where a project watches the address there already, and where the built-in source is
 * to ask this machine.
 */
export async function withSource(target: NewTarget, deps: Deps, signal: AbortSignal): Promise<TargetInput> {
  const found = await withFoundSource(target, deps, signal);
  const page = deps.catalogue().sources.get(pageId)?.source;
  const { source, url } = found;
  // Each of its scrapes would be refused, and it has no definition to say more in.
  if (source === pageId && page?.allowPrivate === false && url !== undefined && isLoopbackUrl(url))
    throw new ControlError(
      'invalid_params',
      `${url} names this machine, and the source "${pageId}" asks public addresses alone: \`heronry init source ${url}\` drafts a source that may ask it`,
    );
  return found;
}

async function withFoundSource(target: NewTarget, deps: Deps, signal: AbortSignal): Promise<TargetInput> {
  const { source, url, ...rest } = target;
  if (source !== undefined) return { ...rest, source, ...defined({ url }) };
  if (url === undefined)
    throw new ControlError('invalid_params', 'expected "source", as there is no "url" to find it by');
  const matches = await matchesOf(url, deps, signal);
  const [match] = matches;
  if (match === undefined) throw new ControlError('invalid_params', `no source knows ${url}: ${knownText(deps)}`);
  if (matches.length > 1) {
    const aPage = deps.catalogue().sources.has(pageId) ? `, or "${pageId}"` : '';
    const ids = matches.map((each) => each.source).join(', ');
    throw new ControlError('invalid_params', `${url} may be on ${ids}: expected "source" to name one of them${aPage}`);
  }
  const [first] = match.projects ?? [];
  // Who clips an address twice wants one project; who names the source wants another.
  if (first !== undefined)
    throw new ControlError(
      'conflict',
      `project "${first}" watches ${match.url} on ${match.source} already: name the source to watch it too`,
    );
  return { ...rest, source: match.source, url: match.url };
}

/** Finds the sources that an address belongs to. Where plug-ins know it, only their matches count; where nobody does, it is a page. */
async function matchesOf(url: string, deps: Deps, signal: AbortSignal): Promise<ResolvedUrl[]> {
  const loaded = Array.from(deps.catalogue().sources.values(), ({ source }) => source);
  const ofPlugins = await deps.sources.resolve(url, signal);
  const known = ofPlugins.length > 0 ? ofPlugins : sourcesOf(loaded, url);
  const page = deps.catalogue().sources.get(pageId)?.source;
  const matches = known.length === 0 && page !== undefined ? [{ source: pageId, url: askedAddress(page, url) }] : known;
  const { targets } = deps.store();
  return matches.map(({ source, url: asked, params }) => {
    const pattern = deps.catalogue().sources.get(source)?.source.url;
    const filled = pattern === undefined ? undefined : fillUrl(pattern, params ?? {});
    const row =
      targets.at({ source, url: asked }) ?? (filled?.ok ? targets.at({ source, url: filled.url }) : undefined);
    const projects = row !== undefined && ownerOf(row) !== undefined ? projectsOf(row) : undefined;
    return { source, url: asked, ...defined({ params: params && { ...params }, projects }) };
  });
}

function knownText({ catalogue }: Deps): string {
  const sources = Array.from(catalogue().sources.values(), ({ source: { id, url } }) =>
    url === undefined ? id : `${id} (${url})`,
  );
  if (sources.length === 0) return 'there are no sources';
  const more = sources.length > maxNamed ? ` and ${sources.length - maxNamed} more` : '';
  return `there are ${sources.slice(0, maxNamed).join(', ')}${more}`;
}
