import type { Source } from '../definition/source.ts';
import { typedDrafts } from '../extract/typed.ts';
import { hoppedRequest, pluginRequest } from '../plugin/open.ts';
import type { Ask } from '../provider/define.ts';
import { planOf } from '../provider/plans.ts';
import type { OpenProvider } from '../provider/provider.ts';
import type { Collector } from '../scrape/collector.ts';
import type { Visit } from '../scrape/walk.ts';
import type { TargetRow } from '../store/rows.ts';
import type { SentCredentials } from './credentials.ts';
import { answerOf } from './plugin-fetch.ts';
import type { PluggedSource, Plugins } from './plugins.ts';

export interface CollectorParts {
  readonly loaded: PluggedSource;
  readonly target: TargetRow;
  readonly scrape: number;
  readonly args: readonly string[];
  /** Learns what the plug-in is told, so that nothing of it is written. */
  readonly sent: SentCredentials;
  readonly provider: Pick<OpenProvider, 'advise'>;
  readonly plugins: Plugins;
}

/** The collector of a source's plug-in, for one scrape. */
export function openCollector({ loaded, target, scrape, args, sent, provider, plugins }: CollectorParts): Collector {
  const { source } = loaded;
  const plan = planOf(source);
  const { advise } = provider;
  return {
    url: target.url,
    typed: (drafts) => typedDrafts(drafts, plan, source.url ?? target.url),
    run: (running, signal) =>
      plugins.collect(
        loaded,
        args,
        {
          began: () => running.began(),
          async fetch(ask, within) {
            const visit = { ...visitOf(source, ask), ...(advise !== undefined && { advise }) };
            return answerOf(sent.url(ask.url), sent.outcome(await running.fetch(visit, within)));
          },
          collected: (batch) => running.collected(batch),
        },
        {
          secrets: (secrets) => sent.tell(secrets),
          hide: (text) => sent.text(text),
          of: { source: source.id, project: target.project, scrape },
        },
        signal,
      ),
  };
}

function visitOf(source: Source, ask: Ask): Visit {
  const made = pluginRequest(source, ask);
  return {
    url: ask.url,
    request: (url, _copy, hop) => (hop === undefined ? made : hoppedRequest(source, made, url, hop)),
  };
}
