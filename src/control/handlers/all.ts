import type { Handlers } from '../methods.ts';
import { applyHandlers } from './apply.ts';
import { daemonHandlers } from './daemon.ts';
import type { HandlerDeps } from './deps.ts';
import { eventHandlers } from './event.ts';
import { projectHandlers } from './project.ts';
import { scrapeHandlers } from './scrape.ts';
import { sourceHandlers } from './source.ts';
import { treeHandlers } from './tree.ts';
import { workHandlers } from './work.ts';

/** What every control method does. */
export function createHandlers(deps: HandlerDeps): Handlers {
  return {
    ...projectHandlers(deps),
    ...workHandlers(deps),
    ...applyHandlers(deps),
    ...sourceHandlers(deps),
    ...scrapeHandlers(deps),
    ...treeHandlers(deps),
    ...eventHandlers(deps),
    ...daemonHandlers(deps),
  };
}
