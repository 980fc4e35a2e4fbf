import { privateReach } from '../../definition/loopback.ts';
import { saysFinished } from '../../definition/end-rule.ts';
import { politenessKey, type Source } from '../../definition/source.ts';
import { nextView } from '../../definition/rule-text.ts';
import { unfoundIn } from '../../definition/unfound.ts';
import type { TriedStep } from '../../scrape/try.ts';
import { defined } from '../../defined.ts';
import { ControlError } from '../error.ts';
import type { KeptPageView, TriedStepView, TryView } from '../methods/source.ts';
import type { Ports } from './ports.ts';
import { holdView } from './host.ts';

type Deps = Pick<Ports, 'sources' | 'daemon'>;

/** Converts the steps of a trial to its result, which is that of the last step. Throws if `steps` is empty. */
export function triedView(source: Source, steps: readonly TriedStep[], deps: Deps): TryView {
  const last = steps.at(-1);
  if (last === undefined) throw new Error(`${source.id}: a trial without a step`);
  const { url, decision } = last;
  const { outcome } = last.result;
  const { status, elapsedMs, bytes } = outcome;
  const view = {
    url,
    elapsedMs,
    bytes,
    ...defined({ status }),
    ...trialOf(outcome),
    steps: steps.map((step) => stepView(source, step, deps)),
  };
  if (outcome.kind === 'read') {
    const { drafts, absent, unparsed, repeated, notes } = outcome.extraction;
    const found = nextView(source, outcome.trial?.next);
    const isLinked = found !== undefined && found.rule === undefined && outcome.nextLink !== undefined;
    const next = isLinked ? { filters: [], lost: [], ...defined({ value: outcome.nextLink }) } : found;
    const finished = outcome.extraction.finished || saysFinished(source, drafts, outcome.at);
    const fill = absent.map((name) => {
      const type = name.slice(0, name.indexOf('.'));
      return [name, { seen: 0, total: drafts.filter((draft) => draft.type === type).length }] as const;
    });
    const unfound = unfoundIn(Object.fromEntries(fill), source);
    const more = defined({ unfound: unfound.length === 0 ? undefined : unfound, repeated, notes, next });
    return { ...view, drafts, finished, absent, unparsed, ...more };
  }
  const failed = decision.do === 'fail' ? decision.failure : outcome.kind === 'failed' ? outcome.failure : undefined;
  const { code, message } = failed ?? { code: 'unexpected', message: `got an outcome "${outcome.kind}"` };
  return { ...view, drafts: [], finished: false, absent: [], unparsed: [], failure: { code, message } };
}

/** Gives the record of an item page the key from its list, as the page itself does not say it. */
export function ofRecord(key: string, { drafts, explained, unparsed, ...found }: TryView): TryView {
  return {
    ...found,
    drafts: drafts.map((draft) => ({ ...draft, key })),
    explained: explained.map((each) => ({ ...each, ...(each.key !== undefined && { key }) })),
    unparsed: unparsed.map(({ position: _position, ...each }) => ({ ...each, key })),
  };
}

/** Returns the page that a trial fetched. Throws a `ControlError` that says why there is none, or an `Error` if `steps` is empty. */
export function peekedPage(steps: readonly TriedStep[]): KeptPageView & { readonly url: string } {
  const last = steps.at(-1);
  if (last === undefined) throw new Error('a trial without a step');
  const { outcome } = last.result;
  const { page } = trialOf(outcome);
  if (page !== undefined) return { ...page, url: last.url };
  const failure = outcome.kind === 'failed' ? outcome.failure.message : 'it has more than 8 MiB';
  throw new ControlError('conflict', `no page came: ${failure}`);
}

function trialOf({ trial, kept }: TriedStep['result']['outcome']): Pick<TryView, 'explained' | 'trees' | 'page'> {
  return {
    explained: trial?.items ?? [],
    ...defined({
      trees: trial?.trees,
      page: kept && {
        ...defined({ contentType: kept.headers['content-type'] }),
        fetchedAt: kept.observedAt,
        body: Buffer.from(kept.body).toString('base64'),
      },
    }),
  };
}

/** Describes a request: what was decided before it was sent, its outcome, and the decision that follows. */
function stepView(
  source: Source,
  { url, method, headers, form, waitedFor, result, decision }: TriedStep,
  deps: Deps,
): TriedStepView {
  const { outcome, trouble, sessionHeaders = [], wasAsked, waitedMs } = result;
  const { status, elapsedMs, bytes } = outcome;
  const failure = outcome.kind === 'failed' ? outcome.failure : undefined;
  return {
    url,
    method,
    key: politenessKey(source, url),
    robots: deps.sources.robotsVerdict(source, url),
    addresses: addressesOf(privateReach(source, url), deps.daemon.bot.onlyLoopback),
    userAgent: source.userAgent ?? deps.daemon.bot.userAgent,
    headers,
    sessionHeaders,
    wasAsked,
    waitedMs,
    elapsedMs,
    bytes,
    outcome: outcome.kind,
    validators: validatorsOf(outcome),
    decision: decision.do,
    ...defined({
      form,
      proxy: source.proxy?.url,
      hold: holdView(waitedFor?.hold),
      ahead: waitedFor?.waiting,
      status,
      actions: outcome.actions,
      location: outcome.kind === 'redirect' ? outcome.location : undefined,
      failure: failure && { code: failure.code, message: failure.message },
      cause: trouble?.cause,
      seenBy: trouble?.message,
      retryAfterMs: decision.do === 'retry' ? decision.delayMs : undefined,
    }),
  };
}

function addressesOf(reach: boolean | 'loopback', onlyLoopback: boolean): TriedStepView['addresses'] {
  if (onlyLoopback) return reach === false ? 'none' : 'loopback';
  if (reach === 'loopback') return 'public_and_loopback';
  return reach ? 'public_and_private' : 'public';
}

function validatorsOf(outcome: TriedStep['result']['outcome']): TriedStepView['validators'] {
  if (outcome.kind !== 'read' && outcome.kind !== 'unmodified') return [];
  const { etag, lastModified } = outcome.validators ?? {};
  return [
    ...(etag === undefined ? [] : (['etag'] as const)),
    ...(lastModified === undefined ? [] : (['last-modified'] as const)),
  ];
}
