import type { Handlers } from '../methods.ts';
import { applyHandlers } from './apply.ts';
import { auditHandlers } from './audit.ts';
import { bulkHandlers } from './bulk.ts';
import { crawlHandlers } from './crawl.ts';
import { daemonHandlers } from './daemon.ts';
import type { Ports } from './ports.ts';
import { eventHandlers } from './event.ts';
import { exportHandlers } from './export.ts';
import { fileHandlers } from './file.ts';
import { heldHandlers } from './held.ts';
import { hostHandlers } from './host.ts';
import { loginHandlers } from './login.ts';
import { metricHandlers } from './metric.ts';
import { objectiveHandlers } from './objective.ts';
import { pageHandlers } from './page.ts';
import { PeekedPages } from './peeked-pages.ts';
import { pipelineHandlers } from './pipeline.ts';
import { planHandlers } from './plan.ts';
import { projectHandlers } from './project.ts';
import { recentHandlers } from './recent.ts';
import { reextractionHandlers } from './reextraction.ts';
import { recordHandlers } from './records.ts';
import { resolveHandlers } from './resolve.ts';
import { scheduleHandlers } from './schedule.ts';
import { ruleHandlers } from './rule.ts';
import { scrapeHandlers } from './scrape.ts';
import { stepHandlers } from './step.ts';
import { searchHandlers } from './search.ts';
import { sinkHandlers } from './sink.ts';
import { sourceHandlers } from './source.ts';
import { targetHandlers } from './target.ts';
import { ticketHandlers } from './ticket.ts';
import { tokenHandlers } from './token.ts';
import { typeHandlers } from './type.ts';
import { viewHandlers } from './view.ts';
import { viewingHandlers } from './viewing.ts';
import { vaultHandlers } from './vault.ts';
import { wasteHandlers } from './waste.ts';
import { workerHandlers } from './worker.ts';
import { whyHandlers } from './why.ts';

/** Creates the handlers of all control methods. */
export function createHandlers(deps: Ports): Handlers {
  const peeked = new PeekedPages();
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
    ...sourceHandlers(deps, peeked),
    ...pageHandlers(deps, peeked),
    ...resolveHandlers(deps),
    ...crawlHandlers(deps),
    ...hostHandlers(deps),
    ...workerHandlers(deps),
    ...scrapeHandlers(deps),
    ...stepHandlers(deps),
    ...whyHandlers(deps),
    ...scheduleHandlers(deps),
    ...planHandlers(deps),
    ...objectiveHandlers(deps),
    ...wasteHandlers(deps),
    ...vaultHandlers(deps),
    ...reextractionHandlers(deps),
    ...eventHandlers(deps),
    ...recentHandlers(deps),
    ...exportHandlers(deps),
    ...sinkHandlers(deps),
    ...pipelineHandlers(deps),
    ...viewHandlers(deps),
    ...viewingHandlers(deps),
    ...searchHandlers(deps),
    ...bulkHandlers(deps),
    ...tokenHandlers(deps),
    ...loginHandlers(deps),
    ...auditHandlers(deps),
    ...daemonHandlers(deps),
  };
}
