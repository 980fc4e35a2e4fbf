import type { Handlers } from '../methods.ts';
import { applyHandlers } from './apply.ts';
import { crawlHandlers } from './crawl.ts';
import { daemonHandlers } from './daemon.ts';
import type { Ports } from './ports.ts';
import { eventHandlers } from './event.ts';
import { exportHandlers } from './export.ts';
import { fileHandlers } from './file.ts';
import { heldHandlers } from './held.ts';
import { hostHandlers } from './host.ts';
import { metricHandlers } from './metric.ts';
import { objectiveHandlers } from './objective.ts';
import { planHandlers } from './plan.ts';
import { projectHandlers } from './project.ts';
import { reextractionHandlers } from './reextraction.ts';
import { recordHandlers } from './records.ts';
import { resolveHandlers } from './resolve.ts';
import { scheduleHandlers } from './schedule.ts';
import { ruleHandlers } from './rule.ts';
import { scrapeHandlers } from './scrape.ts';
import { sinkHandlers } from './sink.ts';
import { sourceHandlers } from './source.ts';
import { targetHandlers } from './target.ts';
import { ticketHandlers } from './ticket.ts';
import { tokenHandlers } from './token.ts';
import { typeHandlers } from './type.ts';
import { vaultHandlers } from './vault.ts';
import { wasteHandlers } from './waste.ts';
import { whyHandlers } from './why.ts';

/** Creates the handlers of all control methods. */
export function createHandlers(deps: Ports): Handlers {
  return {
    ...projectHandlers(deps),
    ...targetHandlers(deps),
    ...recordHandlers(deps),
    ...heldHandlers(deps),
    ...ticketHandlers(deps),
    ...fileHandlers(deps),
    ...metricHandlers(deps),
    ...ruleHandlers(deps),
    ...typeHandlers(deps),
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
    ...vaultHandlers(deps),
    ...reextractionHandlers(deps),
    ...eventHandlers(deps),
    ...exportHandlers(deps),
    ...sinkHandlers(deps),
    ...tokenHandlers(deps),
    ...daemonHandlers(deps),
  };
}
