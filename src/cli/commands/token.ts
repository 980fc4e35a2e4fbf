import { Command, Option } from 'commander';
import type { TokenView } from '../../control/methods/token.ts';
import { defined } from '../../defined.ts';
import { ageText } from '../../time-text.ts';
import { callAndPrint, examples, helpGroups } from '../cli.ts';
import { durationOption, listOption } from '../options.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../../view/text.ts';

/** From this time on before its end, a token has a date. */
const dayMs = 86_400_000;

const roles = ['read', 'author', 'operate', 'admin'] as const;

/** `token`: makes, lists and revokes the tokens of the HTTP API. */
export function createCommand(terminal: Terminal): Command {
  const create = new Command('create')
    .description('make a token and print it, this once')
    .argument('<label>', 'what it is for')
    .addOption(
      new Option(
        '--role <role>',
        'read to look, author to work on tickets, operate to change what is tracked, admin for all',
      )
        .choices(roles)
        .default('read'),
    )
    .option(
      '--expires <duration>',
      'how long it is accepted, such as 90d; by default until it is revoked',
      durationOption,
    )
    .addOption(new Option('--labels <list>', 'let it see only projects with one of these labels').argParser(listOption))
    .addOption(
      new Option(
        '--sources <list>',
        'let an author work on the tickets and definitions of these sources alone',
      ).argParser(listOption),
    )
    .addHelpText(
      'after',
      examples(
        'heronry token create grafana',
        'heronry token create deploy --role operate --expires 90d',
        'heronry token create client --labels acme,acme-test',
        'heronry token create mend --role author --sources shop,list',
      ),
    )
    .action((label: string, { role, labels, sources, expires }: CreateOptions, command: Command) =>
      callAndPrint(
        terminal,
        command,
        ['token.create', { label, role, ...defined({ labels, sources, forMs: expires }) }],
        ({ token }) => token,
      ),
    );
  const list = new Command('list')
    .description('list the tokens, the oldest first')
    .addHelpText('after', examples('heronry token list'))
    .action((_options: object, command: Command) =>
      callAndPrint(terminal, command, ['token.list', {}], ({ tokens }) => showTokens(terminal, tokens)),
    );
  const revoke = new Command('revoke')
    .description('revoke a token: it is not accepted any more')
    .argument('<id>', 'the id, which is also what the token begins with')
    // As an id may begin with a minus.
    .allowUnknownOption()
    .addHelpText('after', examples('heronry token revoke V1StGXR8_Z5jdHi6B-myT'))
    .action((id: string, _options: object, command: Command) =>
      callAndPrint(
        terminal,
        command,
        ['token.revoke', { id }],
        (token) => `revoked ${token.id}: ${plainText(token.label)}`,
      ),
    );
  return new Command('token')
    .helpGroup(helpGroups.daemon)
    .description('make, list and revoke the tokens of the HTTP API; docs/http.md tells of it')
    .addCommand(create)
    .addCommand(list, { isDefault: true })
    .addCommand(revoke)
    .addHelpText('after', examples('heronry token create grafana', 'heronry token list'));
}

interface CreateOptions {
  readonly role: (typeof roles)[number];
  readonly labels?: readonly string[];
  readonly sources?: readonly string[];
  readonly expires?: number;
}

function showTokens(terminal: Terminal, tokens: readonly TokenView[]): string {
  const now = terminal.now();
  return table(terminal, tokens, [
    ['ID', ({ id }) => id],
    ['ROLE', ({ role }) => role],
    ['OF', ({ labels, sources }) => plainText((labels ?? sources)?.join(', ') ?? 'all')],
    ['LABEL', ({ label }) => plainText(label)],
    ['MADE', ({ createdAt }) => ageText(createdAt, now)],
    [
      'EXPIRES',
      ({ expiresAt }) => {
        if (expiresAt === undefined) return 'never';
        if (expiresAt <= now) return 'expired';
        return expiresAt - now < dayMs ? ageText(expiresAt, now) : new Date(expiresAt).toISOString().slice(0, 10);
      },
    ],
  ]);
}
