import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { ProjectView } from '../../control/methods/project.ts';
import type { ScrapeView, StepView } from '../../control/methods/scrape.ts';
import { allSlices } from '../all-slices.ts';
import { examples, globalOptions, withClient } from '../cli.ts';
import { durationText } from '../duration.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { badText, followScrape, tellHeld } from '../follow.ts';
import { withProgress } from '../progress.ts';
import { argsText, excerptLines, failureText, showEnd } from '../show-scrape.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../text.ts';

/** How many more records make a line of progress. */
const progressStep = 100;

/** `run`: one source's target once, now, to its end. */
export function runCommand(terminal: Terminal): Command {
  return new Command('run')
    .description('scrape the target of a source once, now, and leave when it has ended, with 0 when it is complete')
    .argument('<source>', 'the source')
    .argument('[args...]', "handed to a plug-in's `collect`, in this order")
    .option('-p, --project <id>', 'the project, where the source has targets of several')
    .addHelpText(
      'after',
      examples(
        'heronry run kickfund',
        'heronry run register 2016-03-01 2016-03-31',
        'heronry run shop --project solar',
      ),
    )
    .action((source: string, args: readonly string[], { project }: { project?: string }, command: Command) => {
      const work = withClient(terminal, command, async (client) => {
        const place = await placeOf(client, source, project);
        await runAll(client, place, args);
      });
      return withProgress(terminal, `waiting for ${source}`, work);

      async function runAll(client: Client, { id, targets }: Place, args: readonly string[]): Promise<void> {
        const wish = args.length > 0 ? { wish: { args } } : {};
        const asked = await Promise.all(
          targets.map((target) => client.call('project.rescrape', { id, target, ...wish })),
        );
        const scrapes = asked.flatMap((each) => each.scrapes);
        for (const each of asked) tellHeld(terminal, each);
        const teller = tellerFor(terminal, globalOptions(command).json ?? false);
        const ended = await Promise.all(
          scrapes.map(({ scrape }) => {
            teller.started({ scrape, source, project: id, args });
            return followScrape(client, scrape, (step) => teller.stepped(scrape, step));
          }),
        );
        for (const { scrape } of ended) teller.stopped(scrape);
        const bad = ended.filter(({ scrape }) => scrape.status !== 'complete');
        if (bad.length > 0) throw new CommandError(exitStatus.failed, bad.map(badText).join(', '));
      }
    });
}

/** A project's targets on one source. */
interface Place {
  readonly id: string;
  readonly targets: readonly number[];
}

/** What is to be run; where that is not one project, an error says what there is. */
async function placeOf(client: Client, source: string, project: string | undefined): Promise<Place> {
  const { sources } = await client.call('source.list', {});
  if (!sources.some(({ id }) => id === source)) {
    const known = sources.map(({ id }) => id).join(', ');
    throw new CommandError(exitStatus.notFound, `run: no source "${source}"${known && `: there are ${known}`}`);
  }
  const projects = await allSlices<ProjectView, string>(10_000, async (limit, after) => {
    const asked = { source, limit, ...(after !== undefined && { after }) };
    const { projects: rows, next } = await client.call('project.list', asked);
    return { rows, next };
  });
  const places = projects
    .map(({ id, targets }): Place => ({
      id,
      targets: targets.filter((target) => target.source === source && target.status !== 'disabled').map(numberOf),
    }))
    .filter(({ targets }) => targets.length > 0);
  const [only] = project === undefined ? places : places.filter(({ id }) => id === project);
  if (only === undefined) {
    const hint = `add one with \`heronry add ${source} --source ${source} --url URL\``;
    throw new CommandError(
      exitStatus.notFound,
      project === undefined
        ? `run: no project has a target on ${source}: ${hint}`
        : `run: project "${project}" has no target on ${source}: ${listed(places) || hint}`,
    );
  }
  if (project === undefined && places.length > 1)
    throw new CommandError(
      exitStatus.usage,
      `run: expected --project, as several have a target on ${source}: ${listed(places)}`,
    );
  return only;
}

/** Enough to find one's own among them. */
const maxListed = 20;

function listed(places: readonly Place[]): string {
  const more = places.length > maxListed ? ` and ${places.length - maxListed} more` : '';
  return `${places
    .slice(0, maxListed)
    .map(({ id }) => id)
    .join(', ')}${more}`;
}

function numberOf({ target }: { readonly target: number }): number {
  return target;
}

interface Started {
  readonly scrape: number;
  readonly source: string;
  readonly project: string;
  readonly args: readonly string[];
}

/** Prints the lines of runs: that they began, how many records they have, that they ended. */
function tellerFor(terminal: Terminal, json: boolean) {
  const collected = new Map<number, number>();
  const tell = (event: object, text: string): void => {
    terminal.passing('');
    terminal.out(json ? JSON.stringify(event) : text);
  };
  return {
    started({ scrape, source, project, args }: Started): void {
      const given = args.length > 0 ? ` ${argsText(args)}` : '';
      tell(
        { run: 'start', scrape, source, project, args },
        `start  scrape ${scrape} of ${source} for ${project}${given}`,
      );
    },

    stepped(scrape: number, step: StepView): void {
      const before = collected.get(scrape) ?? 0;
      const now = before + collectedOf(step);
      collected.set(scrape, now);
      const { failure, url } = step;
      if (failure)
        tell(
          { run: 'failure', scrape, url, failure },
          [`step ${step.step} failed  ${plainText(url)}  ${failureText(failure)}`, ...excerptLines(failure)].join('\n'),
        );
      const passed = Math.floor(now / progressStep);
      if (passed > Math.floor(before / progressStep))
        tell(
          { run: 'progress', scrape, collected: passed * progressStep },
          `progress  scrape ${scrape}: ${passed * progressStep} collected`,
        );
    },

    stopped(scrape: ScrapeView): void {
      const took = durationText((scrape.endedAt ?? scrape.startedAt) - scrape.startedAt);
      const failure = scrape.failure ? `: ${failureText(scrape.failure)}` : '';
      const facts = [`${collectedOf(scrape)} collected`, countText(scrape.steps, 'step'), `in ${took}`].join(', ');
      tell(
        { run: 'stop', collected: collectedOf(scrape), ...scrape },
        `stop  scrape ${scrape.scrape} ${showEnd(terminal, scrape)}: ${facts}${failure}`,
      );
    },
  };
}

/** Records that were seen, new or not. */
function collectedOf({ counts: { added, changed, confirmed } }: Pick<ScrapeView, 'counts'>): number {
  return added + changed + confirmed;
}
