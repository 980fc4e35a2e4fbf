import { unsentResult } from '../request/failure.ts';
import type { Clock } from '../clock.ts';
import { type Catalogue, isPlugged } from '../definition/catalogue.ts';
import type { Source } from '../definition/source.ts';
import type { StepFailure } from '../engine/step.ts';
import type { ExpectedWait } from '../fetch/ledger/ledger-view.ts';
import type { FetchRequest } from '../fetch/request.ts';
import { openProvider } from '../provider/declared.ts';
import type { FormControls, Hop, OpenProvider, Reading } from '../provider/provider.ts';
import { trialReading } from '../provider/trial-reading.ts';
import { defined } from '../defined.ts';
import type { SourcePlugins } from '../plugin/source-plugins.ts';
import type { MakeRequest, RequestResult } from '../request/intent.ts';
import { nextHop } from '../request/redirects.ts';
import { SentCredentials } from '../request/sent-credentials.ts';
import { watchRequests } from '../request/scrape-requests.ts';
import { allowanceOf, type Decision, decide, noEfforts } from './decide.ts';
import { renderingAfter, renderingOf } from './rendering.ts';
import type { ScrapeDeps } from './run.ts';
import { failedResult, stageAfter } from './visit.ts';

/** One request of a trial, and what a scrape would do after it. */
export interface TriedStep {
  readonly url: string;
  /** The method and the header names that the definition has sent. */
  readonly method: string;
  readonly headers: readonly string[];
  /** The controls of the form that the request submits, by their names. */
  readonly form?: FormControls;
  /** The wait of the request; missing where it did not get as far as a turn. */
  readonly waitedFor?: ExpectedWait;
  readonly result: RequestResult;
  readonly decision: Decision;
}

/** The page to try, and how much of it to report. */
export interface PageTrial {
  readonly source: Source;
  /** The provider of a source with a plug-in. */
  readonly provider?: OpenProvider;
  /** Whether the page is read with both HTML parsers. */
  readonly trees: boolean;
  /** Set for a page that an item leads to: the type of its record, and the address of the list. */
  readonly item?: { readonly type: string; readonly home: string };
  /** The page itself is returned if it has at most this many bytes; -1 for never. */
  readonly keepBytes: number;
}

/**
 * Requests one page as a scrape does, with its forms, redirects and log-ins. Retries are reported but not made, and nothing is
 * stored. Returns at least one step; the last one counts. Rejects with the signal's reason when the signal fires.
 */
async function tryPage(
  startUrl: string,
  trial: PageTrial,
  deps: TryDeps,
  signal: AbortSignal,
): Promise<readonly TriedStep[]> {
  const { source, provider = openProvider(source), trees, item } = trial;
  const steps: TriedStep[] = [];
  if (item !== undefined) return tryItem(startUrl, item, trial, deps, signal);
  let stage = provider.forms?.(startUrl, provider.list?.first(startUrl, 'first'));
  for (;;) {
    if (stage !== undefined && 'failure' in stage) {
      steps.push(unmadeStep(startUrl, stage.failure, deps.clock.now()));
      return steps;
    }
    const { url, request, reading, controls: form } = stage ?? askedAt(startUrl, provider);
    const explained = reading ?? trialReading(source, provider, trees);
    const asked = {
      url,
      request,
      reading: explained,
      hidden: stage?.hidden ?? [],
      ...defined({ follows: stage?.follows }),
    };
    const tried = await tryOne(asked, trial, deps, signal);
    const [first, ...more] = tried;
    steps.push(...(first === undefined ? [] : [{ ...first, ...defined({ form }) }]), ...more);
    const last = tried.at(-1);
    if (stage === undefined || last === undefined) return steps;
    const next = stageAfter(stage, last);
    if (next === undefined) return steps;
    if ('failure' in next) {
      const { failure } = next;
      steps.splice(-1, 1, { ...last, result: failedResult(last.result, failure), decision: { do: 'fail', failure } });
      return steps;
    }
    stage = next;
  }
}

/** Requests a page that an item of a list leads to. */
function tryItem(
  url: string,
  { type, home }: NonNullable<PageTrial['item']>,
  trial: PageTrial,
  deps: TryDeps,
  signal: AbortSignal,
): Promise<readonly TriedStep[]> {
  const { items } = openProvider(trial.source);
  const reading = items?.reading(type);
  if (items === undefined || reading === undefined) throw new Error(`${trial.source.id}: no page of a record ${type}`);
  const request = (to: string, hop?: Hop) => items.request(to, undefined, hop, home);
  return tryOne(
    { url, request, reading: { ...reading, explain: { trees: trial.trees } }, hidden: [] },
    trial,
    deps,
    signal,
  );
}

type TryDeps = Pick<ScrapeDeps, 'clock' | 'random' | 'makeRequest'>;

/** The page itself, where no form leads to it. */
function askedAt(url: string, { request }: OpenProvider) {
  return {
    url,
    request: (to: string, hop?: Hop) => request(to, undefined, hop),
    reading: undefined,
    controls: undefined,
  };
}

/** An address to try. */
interface Asked {
  readonly url: string;
  request(url: string, hop?: Hop): ReturnType<OpenProvider['request']>;
  readonly reading: Reading;
  readonly hidden: readonly string[];
  follows?(url: string): boolean;
}

/** Requests one address until it is read or given up. */
async function tryOne(
  { url: startUrl, request: requestAt, reading, hidden, follows }: Asked,
  { source, keepBytes }: PageTrial,
  deps: TryDeps,
  signal: AbortSignal,
): Promise<readonly TriedStep[]> {
  const { clock } = deps;
  const steps: TriedStep[] = [];
  const rendering = renderingOf(source, startUrl);
  if ('code' in rendering) return [unmadeStep(startUrl, rendering, clock.now())];
  /** The number of actions that pages of the chain before have had. */
  let acted = 0;
  let url = startUrl;
  let home: string | undefined;
  let efforts = noEfforts(clock.now());
  let stale: number | undefined;
  let hop: Hop | undefined;
  for (;;) {
    const request = await requestAt(url, hop);
    if ('failure' in request) {
      steps.push(unmadeStep(url, request.failure, clock.now()));
      return steps;
    }
    const { url: at } = request;
    home ??= at;
    const step = { request, reading, keepBytes, ...renderingAfter(rendering, acted) };
    let waitedFor: ExpectedWait | undefined;
    const explain = (expectedWait: ExpectedWait): void => void (waitedFor = expectedWait);
    const intent = { kind: 'trial', step, source, dueAt: clock.now(), explain, hidden, ...defined({ stale }) } as const;
    const result = await deps.makeRequest(intent, signal);
    const allowance = allowanceOf(source, { now: clock.now(), nextDueAt: Infinity, draw: deps.random() });
    const decision = decide(result, { ...efforts, tries: 1 }, allowance);
    steps.push({ url: at, ...sentBy(request), ...defined({ waitedFor }), result, decision });
    stale = undefined;
    if (decision.do === 'follow' && follows?.(decision.url) !== false) {
      url = decision.url;
      acted += result.outcome.actions?.length ?? 0;
      hop = nextHop(hop, decision, home);
      efforts = { ...efforts, redirects: efforts.redirects + 1 };
    } else if (decision.do === 'authenticate') {
      stale = result.generation;
      efforts = { ...efforts, logins: efforts.logins + 1 };
    } else {
      return steps;
    }
  }
}

function unmadeStep(url: string, failure: StepFailure, at: number): TriedStep {
  const result = unsentResult(failure, at);
  return { url, method: 'GET', headers: [], result, decision: { do: 'fail', failure } };
}

function sentBy({ method, body, headers = {} }: FetchRequest): Pick<TriedStep, 'method' | 'headers'> {
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), headers: Object.keys(headers) };
}

/** The dependencies of a trial. */
export interface TrialDeps {
  readonly clock: Clock;
  /** A number in `[0, 1)`. */
  random(): number;
  catalogue(): Catalogue;
  readonly makeRequest: MakeRequest;
  readonly plugins: Pick<SourcePlugins, 'open'>;
}

/** Tries one page as `tryPage` does, by the plug-in of its source where that has one, and shows no credentials. */
export type TryPage = (trial: PageTrial, url: string, signal: AbortSignal) => Promise<readonly TriedStep[]>;

/** Opens trials of pages. A trial rejects with what a request or the plug-in rejects with, and with the signal's reason. */
export function createTryPage({ clock, random, catalogue, makeRequest, plugins }: TrialDeps): TryPage {
  return async (trial, url, signal) => {
    const sent = new SentCredentials();
    const loaded = catalogue().sources.get(trial.source.id);
    const isOwn = loaded !== undefined && isPlugged(loaded) && loaded.source === trial.source;
    const opened = isOwn ? await plugins.open(loaded, signal) : undefined;
    const plugged = { ...trial, ...defined({ provider: opened?.provider }) };
    const steps = await tryPage(url, plugged, { clock, random, makeRequest: watchRequests(makeRequest, sent) }, signal);
    return steps.map((step) => redactedTrial(sent, step));
  };
}

/** A step of a trial as it is shown. */
function redactedTrial(sent: SentCredentials, step: TriedStep): TriedStep {
  const { result, decision } = step;
  const { trouble } = result;
  const shown = { ...result, outcome: sent.outcome(result.outcome) };
  return {
    ...step,
    url: sent.url(step.url),
    result: trouble === undefined ? shown : { ...shown, trouble: { ...trouble, message: sent.text(trouble.message) } },
    decision: redactedDecision(sent, decision),
  };
}

function redactedDecision(sent: SentCredentials, decision: TriedStep['decision']): TriedStep['decision'] {
  if (decision.do === 'follow') return { ...decision, url: sent.url(decision.url) };
  return decision.do === 'fail' ? { ...decision, failure: sent.failure(decision.failure) } : decision;
}
