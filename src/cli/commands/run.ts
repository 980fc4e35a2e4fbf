import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { ScrapeView, StepView } from '../../view/scrape.ts';
import { defined } from '../../defined.ts';
import { listRows, examples, globalOptions, helpGroups, withClient, withProgress } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { followScrape, refuseIncomplete, tellHeld } from '../follow.ts';
import { argsText, excerptLines, failureText, showEnd, tookText } from '../show-scrape.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../../view/text.ts';

/** The number of records after which a line of progress is printed. */
const progressStep = 100;

/** `run`: scrapes the target of a source once and waits for the end. */
export function createCommand(terminal: Terminal): Command {
  return new Command('run')
    .helpGroup(helpGroups.projects)
    .description(
      'scrape the target of a source once, now, and exit when the scrape has ended: with 0 if it is complete',
    )
    .argument('<source>', 'the source')
    .argument('[args...]', "the arguments of a plug-in's `collect`, or of a program")
    .option('-p, --project <id>', 'the project, if several have targets on the source')
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
        const place = await placeOf(terminal, client, source, project);
        await runAll(client, place, args);
      });
      return withProgress(terminal, `waiting for ${source}`, work);

      async function runAll(client: Client, { id, targets }: ProjectTargets, args: readonly string[]): Promise<void> {
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
        refuseIncomplete(ended);
      }
    });
}

/** A project's targets on one source. */
interface ProjectTargets {
  readonly id: string;
  readonly targets: readonly number[];
}

/**
 * Resolves with the project and targets to run. Rejects with a `CommandError` that lists the choices where that is
 * not one project.
 */
async function placeOf(
  terminal: Terminal,
  client: Client,
  source: string,
  project: string | undefined,
): Promise<ProjectTargets> {
  const { sources } = await client.call('source.list', {});
  if (!sources.some(({ id }) => id === source)) {
    const known = sources.map(({ id }) => id).join(', ');
    throw new CommandError('not_found', `run: no source "${source}"${known && `: there are ${known}`}`);
  }
  const projects = await listRows(terminal, { noun: 'project' }, 'projects', (limit, after?: string) =>
    client.call('project.list', { source, limit, ...defined({ after }) }),
  );
  const places = projects
    .map(({ id, targets }): ProjectTargets => ({
      id,
      targets: targets
        .filter((target) => target.source === source && target.status !== 'disabled')
        .map(({ target }) => target),
    }))
    .filter(({ targets }) => targets.length > 0);
  const [only] = project === undefined ? places : places.filter(({ id }) => id === project);
  if (only === undefined) {
    const hint = `add one with \`heronry add ${source} --source ${source}\`, and --url or --param where its address needs them`;
    throw new CommandError(
      'not_found',
      project === undefined
        ? `run: no project has a target on ${source}: ${hint}`
        : `run: project "${project}" has no target on ${source}: ${listed(places) || hint}`,
    );
  }
  if (project === undefined && places.length > 1)
    throw new CommandError(
      'usage',
      `run: expected --project, as several have a target on ${source}: ${listed(places)}`,
    );
  return only;
}

/** The most projects that an error lists. */
const maxListed = 20;

function listed(places: readonly ProjectTargets[]): string {
  const more = places.length > maxListed ? ` and ${places.length - maxListed} more` : '';
  return `${places
    .slice(0, maxListed)
    .map(({ id }) => id)
    .join(', ')}${more}`;
}

interface Started {
  readonly scrape: number;
  readonly source: string;
  readonly project: string;
  readonly args: readonly string[];
}

/** Creates a printer of runs: a line at the start, at each 100 records, at each failure and at the end. */
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
      const next = (Math.floor(before / progressStep) + 1) * progressStep;
      for (let passed = next; passed <= now; passed += progressStep)
        tell({ run: 'progress', scrape, collected: passed }, `progress  scrape ${scrape}: ${passed} collected`);
    },

    stopped(scrape: ScrapeView): void {
      const took = tookText(scrape);
      const failure = scrape.failure ? `: ${failureText(scrape.failure)}` : '';
      const facts = [
        `${collectedOf(scrape)} collected`,
        countText(scrape.steps, 'step'),
        ...(took === undefined ? [] : [`in ${took}`]),
      ].join(', ');
      tell(
        { run: 'stop', collected: collectedOf(scrape), ...scrape },
        `stop  scrape ${scrape.scrape} ${showEnd(terminal, scrape)}: ${facts}${failure}`,
      );
    },
  };
}

/** Counts the records that were read, new or not. */
function collectedOf({ counts: { added, changed, confirmed } }: Pick<ScrapeView, 'counts'>): number {
  return added + changed + confirmed;
}
