import { StoreFullError } from '../../store/full.ts';
import { ControlError } from '../error.ts';
import type { HandlerContext, Handlers } from '../methods.ts';
import { applyHandlers } from './apply.ts';
import { crawlHandlers } from './crawl.ts';
import { daemonHandlers } from './daemon.ts';
import type { HandlerDeps } from './deps.ts';
import { eventHandlers } from './event.ts';
import { hostHandlers } from './host.ts';
import { objectiveHandlers } from './objective.ts';
import { planHandlers } from './plan.ts';
import { projectHandlers } from './project.ts';
import { resolveHandlers } from './resolve.ts';
import { scheduleHandlers } from './schedule.ts';
import { scrapeHandlers } from './scrape.ts';
import { sourceHandlers } from './source.ts';
import { treeHandlers } from './tree.ts';
import { wasteHandlers } from './waste.ts';
import { whyHandlers } from './why.ts';
import { workHandlers } from './work.ts';

/** What every control method does. */
export function createHandlers(deps: HandlerDeps): Handlers {
  return refusingWhenFull({
    ...projectHandlers(deps),
    ...workHandlers(deps),
    ...applyHandlers(deps),
    ...sourceHandlers(deps),
    ...resolveHandlers(deps),
    ...crawlHandlers(deps),
    ...hostHandlers(deps),
    ...scrapeHandlers(deps),
    ...whyHandlers(deps),
    ...scheduleHandlers(deps),
    ...planHandlers(deps),
    ...objectiveHandlers(deps),
    ...wasteHandlers(deps),
    ...treeHandlers(deps),
    ...eventHandlers(deps),
    ...daemonHandlers(deps),
  });
}

/** A request that the store has no room for is refused, with why; it is no error of ours. */
function refusingWhenFull(handlers: Handlers): Handlers {
  const refuse = (error: unknown): never => {
    throw error instanceof StoreFullError ? new ControlError('not_ready', error.message, { cause: error }) : error;
  };
  const guarded = Object.entries(handlers).map(([method, handle]: [string, AnyHandler]) => {
    const refusing: AnyHandler = (params, context) => {
      const answer = handle(params, context);
      return answer instanceof Promise ? answer.catch(refuse) : answer;
    };
    return [method, refusing] as const;
  });
  return Object.fromEntries(guarded) as Handlers;
}

type AnyHandler = (params: never, context: HandlerContext) => unknown;
