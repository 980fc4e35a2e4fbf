import { Command, Option } from 'commander';
import type { TokenView } from '../../control/methods/token.ts';
import { defined } from '../../defined.ts';
import { ageText } from '../../time-text.ts';
import { callAndPrint, examples, helpGroups } from '../cli.ts';
import { durationOption } from '../options.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../text.ts';

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
    .addHelpText(
      'after',
      examples('heronry token create grafana', 'heronry token create deploy --role operate --expires 90d'),
    )
    .action((label: string, { role, expires }: CreateOptions, command: Command) =>
      callAndPrint(
        terminal,
        command,
        ['token.create', { label, role, ...defined({ forMs: expires }) }],
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
  readonly expires?: number;
}

function showTokens(terminal: Terminal, tokens: readonly TokenView[]): string {
  const now = terminal.now();
  return table(terminal, tokens, [
    ['ID', ({ id }) => id],
    ['ROLE', ({ role }) => role],
    ['LABEL', ({ label }) => plainText(label)],
    ['MADE', ({ createdAt }) => ageText(createdAt, now)],
    [
      'EXPIRES',
      ({ expiresAt }) => {
        if (expiresAt === undefined) return 'never';
        return expiresAt <= now ? 'expired' : new Date(expiresAt).toISOString().slice(0, 10);
      },
    ],
  ]);
}
