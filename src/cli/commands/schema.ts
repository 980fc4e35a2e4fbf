import { Argument, Command } from 'commander';
import { examples, helpGroups } from '../cli.ts';
import type { Terminal } from '../terminal.ts';

const kinds = ['source', 'type', 'sink', 'pipeline', 'projects', 'daemon'] as const;

/** `schema`: prints the JSON Schema of a kind of file, by which an editor checks and completes it. */
export function createCommand(terminal: Terminal): Command {
  return new Command('schema')
    .helpGroup(helpGroups.begin)
    .description('print the JSON Schema of a kind of file, for editors; needs no daemon')
    .addArgument(
      new Argument('<kind>', 'a source, a type, a sink, a pipeline, projects.yaml, or heronry.yaml (daemon)')
        .argOptional()
        .choices(kinds)
        .default('source'),
    )
    .addHelpText(
      'after',
      `${examples('heronry schema > source.schema.json', 'heronry schema projects')}

An editor with a YAML language server uses it for a file that begins with:
  # yaml-language-server: $schema=../source.schema.json`,
    )
    .action(async (kind: (typeof kinds)[number]) => {
      const { jsonSchema } = await import('../../definition/json-schema.ts');
      terminal.out(JSON.stringify(jsonSchema(kind), undefined, 2));
    });
}
