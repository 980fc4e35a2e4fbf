import { Argument, Command } from 'commander';
import { examples } from '../cli.ts';
import type { Terminal } from '../terminal.ts';

const kinds = ['source', 'projects', 'daemon'] as const;

/** `schema`: the JSON Schema of a file that a person writes, for an editor to check and complete it by. */
export function schemaCommand(terminal: Terminal): Command {
  return new Command('schema')
    .description('print the JSON Schema of a kind of file, for editors; needs no daemon')
    .addArgument(
      new Argument('<kind>', 'a source, projects.yaml, or heronry.yaml (daemon)')
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
