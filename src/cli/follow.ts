import type { Client } from '../control/client.ts';
import type { Result } from '../control/methods.ts';
import type { ProjectView } from '../control/methods/project.ts';
import type { ScrapeOfProjects } from '../control/methods/scrape.ts';
import type { ScrapeView, StepView } from '../view/scrape.ts';
import { CommandError } from './exit-status.ts';
import { heldText, pausedText } from './show-why.ts';
import type { Terminal } from './terminal.ts';
import { plainText } from '../view/text.ts';

/** How long a step that changed nothing may go unseen. */
const lookMs = 500;

/** The most steps that a daemon tells in one answer. */
const maxSteps = 1_000;

/** A scrape's last state: ended, or blocked until a person acts. */
export interface Followed {
  readonly scrape: ScrapeView;
  /** A sentence on why the scrape cannot begin; missing if the scrape has ended. */
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

/** Resolves with what keeps a waiting scrape from beginning until a person acts; with nothing where it will begin. */
async function blockOf(client: Client, { projects: [id = ''], target }: ScrapeOfProjects): Promise<string | undefined> {
  const { status, targets } = await client.call('project.get', { id });
  if (status === 'archived') return `project ${id} is archived`;
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

/** Throws a `CommandError` that says how the scrapes ended which are not complete. */
export function refuseIncomplete(followed: readonly Followed[]): void {
  const incomplete = followed.filter(({ scrape }) => scrape.status !== 'complete');
  if (incomplete.length > 0) throw new CommandError('failed', incomplete.map(endText).join(', '));
}

function endText({ scrape: { scrape, status }, blocked }: Followed): string {
  if (blocked !== undefined) return `scrape ${scrape} can't begin: ${plainText(blocked)}`;
  return `scrape ${scrape} ${status === 'failed' ? 'failed' : `was ${status}`}`;
}

type Requested = Result<'project.rescrape'>;

/** Prints on the error stream which requested scrapes cannot begin yet, when they can, and why not now. */
export function tellHeld(terminal: Terminal, { scrapes, paused }: Requested): void {
  if (paused !== undefined) terminal.err(pausedText(paused));
  for (const { scrape, target, held } of scrapes)
    if (held) terminal.err(`scrape ${scrape} of target ${target} waits; ${heldText(held, terminal.now())}`);
}
