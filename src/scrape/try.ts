import type { Source } from '../definition/source.ts';
import type { StepFailure } from '../engine/step.ts';
import type { HoldUp } from '../fetch/hold.ts';
import type { FetchRequest } from '../fetch/request.ts';
import { openProvider } from '../provider/all.ts';
import type { Hop, OpenProvider } from '../provider/provider.ts';
import type { Asked } from './ask.ts';
import { type Decision, decide } from './decide.ts';
import type { ScrapeDeps } from './run.ts';
import { allowanceOf, newSpent, nextHop } from './visit.ts';

/** One request of a trial, and what a scrape would do after it. */
export interface TriedStep {
  readonly url: string;
  /** What the definition has sent: the method, and the names of its headers. */
  readonly method: string;
  readonly headers: readonly string[];
  /** Missing where it came to no turn. */
  readonly waitedFor?: HoldUp;
  readonly asked: Asked;
  readonly decision: Decision;
}

/** What is tried, and what is told of it. */
export interface TrialWish {
  readonly source: Source;
  /** Of a source with a plug-in. */
  readonly provider?: OpenProvider;
  /** Whether the page is read with both trees. */
  readonly trees: boolean;
  /** A page of at most so many bytes comes along; -1 for none. */
  readonly keepBytes: number;
}

/**
 * Asks for one page as a scrape does, redirects and log-ins included, but for retries, which it only tells of. Nothing is
 * stored. The last step is the one that counts; there is at least one.
 */
export async function tryPage(
  startUrl: string,
  { source, provider: given, trees, keepBytes }: TrialWish,
  deps: Pick<ScrapeDeps, 'clock' | 'random' | 'ask'>,
  signal: AbortSignal,
): Promise<readonly TriedStep[]> {
  const { clock } = deps;
  const provider = given ?? openProvider(source);
  const steps: TriedStep[] = [];
  let url = startUrl;
  let home: string | undefined;
  let spent = newSpent(0, clock.now());
  let stale: number | undefined;
  let hop: Hop | undefined;
  for (;;) {
    const request = await provider.request(url, undefined, hop);
    if ('failure' in request) {
      steps.push(unmadeStep(url, request.failure, clock.now()));
      return steps;
    }
    const { url: at } = request;
    home ??= at;
    const reading = { ...provider.page, explain: { trees } };
    const step = { request, reading, render: source.render, keepBytes };
    let waitedFor: HoldUp | undefined;
    const explain = (holdUp: HoldUp): void => void (waitedFor = holdUp);
    const wish = { step, source, dueAt: clock.now(), explain, ...(stale !== undefined && { stale }) };
    const asked = await deps.ask(wish, signal);
    const allowance = allowanceOf(source, { now: clock.now(), nextDueAt: Infinity, draw: deps.random() });
    const decision = decide(asked, { ...spent, tries: 1 }, allowance);
    steps.push({ url: at, ...sentBy(request), ...(waitedFor && { waitedFor }), asked, decision });
    stale = undefined;
    if (decision.do === 'follow') {
      url = decision.url;
      hop = nextHop(hop, decision, home);
      spent = newSpent(spent.redirects + 1, clock.now());
    } else if (decision.do === 'authenticate') {
      stale = asked.generation;
      spent = { ...spent, logins: spent.logins + 1 };
    } else {
      return steps;
    }
  }
}

function unmadeStep(url: string, failure: StepFailure, at: number): TriedStep {
  const outcome = { kind: 'failed', failure, at, elapsedMs: 0, bytes: 0 } as const;
  const asked = { outcome, generation: 0, wasAsked: false, waitedMs: 0 };
  return { url, method: 'GET', headers: [], asked, decision: { do: 'fail', failure } };
}

function sentBy({ method, body, headers = {} }: FetchRequest): Pick<TriedStep, 'method' | 'headers'> {
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), headers: Object.keys(headers) };
}
