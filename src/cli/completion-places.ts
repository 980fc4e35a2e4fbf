import type { Command, Option } from 'commander';
import { defined } from '../defined.ts';

/** A place in a command line: behind the program's name or that of a command, and what may stand there. */
export interface CompletedPlace {
  /** The names of the command, such as `fixture add`; empty behind the program's name. */
  readonly place: string;
  readonly options: readonly CompletedOption[];
  /** The commands of this one, and the words that its first argument may be. */
  readonly words: readonly { readonly name: string; readonly description: string }[];
  /** The shell command that lists the ids which its first argument may be. */
  readonly lists?: string;
}

/** An option, and what its value may be. */
interface CompletedOption {
  /** With its dashes. */
  readonly long: string;
  /** With its dash. */
  readonly short?: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** The words that its value may be. */
  readonly words?: readonly string[];
  /** The shell command that lists the ids which its value may be. */
  readonly lists?: string;
}

const listProjects = 'heronry list --ids 2>/dev/null';
const listSources = 'heronry sources --ids 2>/dev/null';

/** The commands whose argument `id` is that of a new project, or of something else than a project. */
const ofOtherIds: readonly string[] = ['add', 'pipelines', 'sinks', 'steps', 'token', 'workers'];

/** Lists the places in a command line of the program. */
export function completedPlaces(program: Command): readonly CompletedPlace[] {
  return [placeOf([], program), ...program.commands.flatMap((command) => placesBelow([], command))];

  function placesBelow(path: readonly string[], command: Command): CompletedPlace[] {
    const own = [...path, command.name()];
    return [placeOf(own, command), ...command.commands.flatMap((inner) => placesBelow(own, inner))];
  }

  function placeOf(path: readonly string[], command: Command): CompletedPlace {
    const [first] = command.registeredArguments;
    const lists = first && path.length > 0 ? listingOf(first.name(), path[0] ?? '') : undefined;
    // Those of a command hold for the commands within it, and those of the program everywhere.
    const [outer] = program.commands.filter((each) => each.name() === path[0]);
    const all = [...command.options, ...(outer?.options ?? []), ...program.options];
    return {
      place: path.join(' '),
      options: [...new Map(all.toReversed().map((option) => [option.long, option])).values()]
        .toReversed()
        .flatMap(completedOption),
      words: [
        ...command.commands.map((inner) => ({ name: inner.name(), description: inner.description() })),
        ...(first?.argChoices ?? []).map((name) => ({ name, description: first?.description ?? '' })),
      ],
      ...defined({ lists }),
    };
  }
}

function completedOption({ long, short, description, required, optional, argChoices }: Option): CompletedOption[] {
  if (typeof long !== 'string') return [];
  const takesValue = required || optional;
  const lists = long === '--project' ? listProjects : long === '--source' ? listSources : undefined;
  const values = { words: argChoices, lists: takesValue ? lists : undefined };
  return [{ long, description, takesValue, ...defined({ short: short ?? undefined, ...values }) }];
}

function listingOf(argument: string, command: string): string | undefined {
  if (argument === 'source' || argument === 'sources') return listSources;
  const isProject = (argument === 'id' || argument === 'ids') && !ofOtherIds.includes(command);
  return isProject ? listProjects : undefined;
}
