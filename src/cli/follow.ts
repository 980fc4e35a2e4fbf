import type { Client } from '../control/client.ts';
import type { Result } from '../control/methods.ts';
import type { ProjectView } from '../control/methods/project.ts';
import type { ScrapeView, StepView } from '../control/methods/scrape.ts';
import { heldText, pausedText } from './show-why.ts';
import type { Terminal } from './terminal.ts';
import { plainText } from './text.ts';

/** How long a step that changed nothing may go unseen. */
const lookMs = 500;

/** The most steps that a daemon tells in one answer. */
const maxSteps = 1_000;

/** A scrape as it was seen last: ended, or waiting for what will not come by itself. */
export interface Followed {
  readonly scrape: ScrapeView;
  /** What keeps it from beginning, as a sentence; missing when it has ended. */
  readonly blocked?: string;
}

/**
 * Follows a scrape to its end, or until something keeps it from beginning: calls `onStep` for each step, in order and once, as it happens, and `onLook` with what it saw.
 * It looks again whenever an event tells of the scrape, and every half second for steps that no event tells of.
 */
export async function followScrape(
  client: Client,
  scrape: number,
  onStep: (step: StepView) => void,
  onLook: (seen: ScrapeView) => void = () => {},
): Promise<Followed> {
  let wake = () => {};
  await client.subscribe({ scrape }, () => wake());
  let afterStep = 0;
  for (;;) {
    const { promise: told, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    const seen = await client.call('scrape.get', { scrape, afterStep, limit: maxSteps });
    for (const step of seen.steps) {
      onStep(step);
      afterStep = step.step;
    }
    onLook(seen.scrape);
    if (seen.steps.length === maxSteps) continue;
    if (seen.scrape.status !== 'waiting' && seen.scrape.status !== 'running') return { scrape: seen.scrape };
    const blocked = seen.scrape.status === 'waiting' ? await blockOf(client, seen.scrape) : undefined;
    if (blocked !== undefined) return { scrape: seen.scrape, blocked };
    const timer = setTimeout(resolve, lookMs);
    await told;
    clearTimeout(timer);
  }
}

/** What keeps a waiting scrape from beginning until a person does something. */
async function blockOf(client: Client, { project, target }: ScrapeView): Promise<string | undefined> {
  const { status, targets } = await client.call('project.get', { id: project });
  if (status === 'archived') return `project ${project} is archived`;
  const found = targets.find((each) => each.target === target);
  return found === undefined ? `target ${target} is tracked no longer` : targetBlock(found);
}

function targetBlock({
  target,
  source,
  status,
  parked,
  conditions,
}: ProjectView['targets'][number]): string | undefined {
  if (status === 'parked') return `target ${target} is parked${parked ? `: ${plainText(parked.reason)}` : ''}`;
  if (status !== 'active') return `target ${target} is ${status}`;
  if (conditions.includes('definition_error')) return `definition_error: no definition of source ${source} is loaded`;
  return undefined;
}

/** How a scrape that is not complete came off, for the error that a command leaves with. */
export function badText({ scrape: { scrape, status }, blocked }: Followed): string {
  if (blocked !== undefined) return `scrape ${scrape} can't begin: ${plainText(blocked)}`;
  return `scrape ${scrape} ${status === 'failed' ? 'failed' : `was ${status}`}`;
}

type Requested = Result<'project.rescrape'>;

/** Says, beside what comes of scrapes that are waited for, which of them cannot begin yet: when they can, and why not now. */
export function tellHeld(terminal: Terminal, { scrapes, paused }: Requested): void {
  if (paused !== undefined) terminal.err(pausedText(paused));
  for (const { scrape, target, held } of scrapes)
    if (held) terminal.err(`scrape ${scrape} of target ${target} waits; ${heldText(held, terminal.now())}`);
}
