import type { Ran, RunStep, Step, StepOutcome } from '../engine/step.ts';
import type { ExtractFailure } from '../extract/draft.ts';
import type { FetchFailure } from '../fetch/failure.ts';
import type { PluginFailureCode } from '../plugin/protocol.ts';
import { localWorker, type Meters, noWorker } from './meters.ts';

/** The codes by which failures of steps are counted; a plug-in's own code counts as `other`. */
const failureCodes = {
  ...{ timeout: 1, unreachable: 1, bad_certificate: 1, proxy_failed: 1, status: 1, too_large: 1, media_type: 1 },
  ...{ truncated: 1, bad_response: 1, bad_encoding: 1, bad_redirect: 1, url_too_long: 1, refused_address: 1 },
  ...{ renderer_missing: 1, render_crashed: 1, action_failed: 1, cancelled: 1 },
  ...{ not_html: 1, wrong_type: 1, unparseable: 1, empty: 1, too_many_parts: 1, no_record: 1, too_many_records: 1 },
  ...{ extract_timeout: 1, extract_crashed: 1, worker_lost: 1, stalled: 1, result_too_large: 1 },
  ...{ plugin_timeout: 1, plugin_memory: 1, plugin_exited: 1, plugin_crashed: 1, plugin_threw: 1 },
  ...{ plugin_bad_module: 1, plugin_bad_options: 1, plugin_bad_result: 1 },
} as const satisfies Record<FetchFailure['code'] | ExtractFailure['code'] | PluginFailureCode, 1>;

/**
 * Returns a function that runs steps by `runStep`, and counts and times them, each for where it ran.
 *
 * @param isHere - whether a step runs in the daemon's own process, and not on a worker process. Default: all do.
 */
export function watchSteps(
  meters: Meters['steps'],
  runStep: RunStep,
  isHere: (step: Step) => boolean = () => true,
): RunStep {
  const extraction = meters.extraction.labels(localWorker);
  const running = meters.running.labels(localWorker);
  running.set(0);

  return async (step, signal, onSent, onCame, onTaken) => {
    const kind = kindOf(step);
    const isOwn = isHere(step);
    const beganAt = performance.now();
    let cameAt: number | undefined;
    let outcome: StepOutcome | undefined;
    // Worker processes tell what they run.
    if (isOwn) running.inc();
    try {
      const onRead: typeof onCame = (exchange) => {
        cameAt = performance.now();
        onCame?.(exchange);
      };
      outcome = await runStep(step, signal, onSent, onRead, onTaken);
      return outcome;
    } finally {
      if (isOwn) running.dec();
      const ran = outcome?.ran ?? (isOwn ? { worker: localWorker, ranMs: performance.now() - beganAt } : undefined);
      count(kind, outcome, ran);
      if (isOwn && cameAt !== undefined && step.reading !== undefined)
        extraction.observe((performance.now() - cameAt) / 1_000);
    }
  };

  /**
   * @param outcome - `undefined` for a step that was cut, or met an error of ours.
   * @param ran - `undefined` for a step that no worker process has run to its end.
   */
  function count(kind: string, outcome: StepOutcome | undefined, ran: Counted | undefined): void {
    const { worker = noWorker } = ran ?? {};
    if (ran !== undefined) meters.seconds.observe({ worker, kind }, ran.ranMs / 1_000);
    if (ran?.waitedMs !== undefined) meters.wait.observe({ worker }, ran.waitedMs / 1_000);
    meters.total.inc({ worker, kind, outcome: outcome?.kind ?? 'cut' });
    if (outcome === undefined) return;
    const { status, bytes, elapsedMs } = outcome;
    if (status !== undefined) meters.responses.inc({ worker, status: classOf(status) });
    if (bytes > 0) meters.received.inc({ worker }, bytes);
    if (elapsedMs > 0) meters.request.observe({ worker, kind }, elapsedMs / 1_000);
    if (outcome.kind !== 'failed') return;
    const { code } = outcome.failure;
    meters.failures.inc({ worker, code: Object.hasOwn(failureCodes, code) ? code : 'other' });
  }
}

/** How a step ran; only what waited for a worker process has waited. */
type Counted = Omit<Ran, 'waitedMs'> & Partial<Ran>;

/** `page`: to be read; `rendered`: that by the browser; `plain`: anything else, such as robots.txt, a log-in or a file. */
function kindOf({ render, reading }: Step): string {
  if (render !== undefined) return 'rendered';
  return reading === undefined ? 'plain' : 'page';
}

/** The class of a status, such as `2xx`. */
export function classOf(status: number): string {
  return `${Math.min(9, Math.floor(status / 100))}xx`;
}
