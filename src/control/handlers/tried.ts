import { politenessKey, type Source } from '../../definition/source.ts';
import type { TriedStep } from '../../scrape/try.ts';
import { ControlError } from '../error.ts';
import type { TriedStepView, TryView } from '../methods/source.ts';
import type { KeptPageView } from '../methods/trial.ts';
import type { HandlerDeps } from './deps.ts';
import { holdView } from './host.ts';

/** What a trial of a source showed: the last of its steps is the one that counts. */
export function triedView(source: Source, steps: readonly TriedStep[], deps: HandlerDeps): TryView {
  const last = steps.at(-1);
  if (last === undefined) throw new Error(`${source.id}: a trial without a step`);
  const { url, decision } = last;
  const { outcome } = last.asked;
  const { status, elapsedMs, bytes } = outcome;
  const shown = {
    url,
    ...(status !== undefined && { status }),
    elapsedMs,
    bytes,
    steps: steps.map((step) => ({ ...leaveOf(source, step, deps), ...resultOf(step) })),
  };
  const told = { ...shown, ...trialOf(outcome) };
  if (outcome.kind === 'read') {
    const { drafts, finished, absent, unparsed, repeated, notes } = outcome.extraction;
    const noted = { ...(repeated !== undefined && { repeated }), ...(notes && { notes: [...notes] }) };
    return { ...told, drafts: [...drafts], finished, absent: [...absent], unparsed: [...unparsed], ...noted };
  }
  const failed = decision.do === 'fail' ? decision.failure : outcome.kind === 'failed' ? outcome.failure : undefined;
  const { code, message } = failed ?? { code: 'unexpected', message: `got an outcome "${outcome.kind}"` };
  return { ...told, drafts: [], finished: false, absent: [], unparsed: [], failure: { code, message } };
}

/** The page that a trial brought; throws a `ControlError` that says why there is none. */
export function peekedPage(steps: readonly TriedStep[]): KeptPageView & { readonly url: string } {
  const last = steps.at(-1);
  if (last === undefined) throw new Error('a trial without a step');
  const { outcome } = last.asked;
  const { page } = trialOf(outcome);
  if (page !== undefined) return { ...page, url: last.url };
  const failure = outcome.kind === 'failed' ? outcome.failure.message : 'it has more than 8 MiB';
  throw new ControlError('conflict', `no page to draft from: ${failure}`);
}

function trialOf({ trial, kept }: TriedStep['asked']['outcome']): Pick<TryView, 'explained' | 'trees' | 'page'> {
  const contentType = kept?.headers['content-type'];
  return {
    explained: trial?.items ?? [],
    ...(trial?.trees !== undefined && { trees: trial.trees }),
    ...(kept !== undefined && {
      page: {
        ...(contentType !== undefined && { contentType }),
        fetchedAt: kept.observedAt,
        body: Buffer.from(kept.body).toString('base64'),
      },
    }),
  };
}

type Leave = Pick<
  TriedStepView,
  | 'url'
  | 'method'
  | 'key'
  | 'robots'
  | 'addresses'
  | 'proxy'
  | 'userAgent'
  | 'headers'
  | 'sessionHeaders'
  | 'hold'
  | 'ahead'
  | 'wasAsked'
  | 'waitedMs'
>;

/** What was decided before a request went out. */
function leaveOf(source: Source, { url, method, headers, waitedFor, asked }: TriedStep, deps: HandlerDeps): Leave {
  const { proxy, userAgent } = source;
  const hold = holdView(waitedFor?.hold);
  return {
    url,
    method,
    key: politenessKey(source, url),
    robots: deps.robotsVerdict(source, url),
    addresses: addressesOf(source, deps.bot.onlyLoopback),
    ...(proxy && { proxy: proxy.url }),
    userAgent: userAgent ?? deps.bot.userAgent,
    headers: [...headers],
    sessionHeaders: [...(asked.sessionHeaders ?? [])],
    ...(hold && { hold }),
    ...(waitedFor && { ahead: waitedFor.waiting }),
    wasAsked: asked.wasAsked,
    waitedMs: asked.waitedMs,
  };
}

function addressesOf({ allowPrivate }: Source, onlyLoopback: boolean): TriedStepView['addresses'] {
  if (onlyLoopback) return allowPrivate ? 'loopback' : 'none';
  return allowPrivate ? 'public_and_private' : 'public';
}

/** What came of a request, and what follows from it. */
function resultOf({ asked: { outcome, trouble }, decision }: TriedStep): Omit<TriedStepView, keyof Leave> {
  const { status, elapsedMs, bytes } = outcome;
  const failure = outcome.kind === 'failed' ? outcome.failure : undefined;
  return {
    ...(status !== undefined && { status }),
    elapsedMs,
    bytes,
    outcome: outcome.kind,
    ...(outcome.kind === 'redirect' && { location: outcome.location }),
    validators: validatorsOf(outcome),
    ...(failure && { failure: { code: failure.code, message: failure.message } }),
    ...(trouble && { cause: trouble.cause, seenBy: trouble.message }),
    decision: decision.do,
    ...(decision.do === 'retry' && { retryAfterMs: decision.delayMs }),
  };
}

function validatorsOf(outcome: TriedStep['asked']['outcome']): TriedStepView['validators'] {
  if (outcome.kind !== 'read' && outcome.kind !== 'unmodified') return [];
  const { etag, lastModified } = outcome.validators ?? {};
  return [
    ...(etag === undefined ? [] : (['etag'] as const)),
    ...(lastModified === undefined ? [] : (['last-modified'] as const)),
  ];
}
