import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { PageView } from '../../control/methods/vault.ts';
import { examples, helpGroups, print, withDaemon } from '../cli.ts';
import { diffText, screenText } from '../diff-text.ts';
import { CommandError } from '../exit-status.ts';
import { clockText } from '../../time-text.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText, plainText } from '../../view/text.ts';

interface Options {
  readonly output?: string;
  readonly diff?: string;
}

/** A kept page with its bytes. */
interface FetchedPage {
  readonly page: PageView;
  readonly body: Buffer;
}

/** `page`: shows or saves a kept page, or how it differs from another. */
export function createCommand(terminal: Terminal): Command {
  return new Command('page')
    .helpGroup(helpGroups.daemon)
    .description(
      'show a page that was kept as evidence, save it or a file that a record names, or show how it differs from another',
    )
    .argument('<digest>', 'its digest, which `history --pages` shows, and `show` for files')
    .option('-o, --output <file>', 'save its bytes as they came, which no charset or terminal can change')
    .option('--diff <digest>', 'show its text as it differs from that of this page, word by word')
    .addHelpText(
      'after',
      examples(
        'heronry page 6Zb0QmXq2vI1ZQbJr0T1xA',
        'heronry page 6Zb0QmXq2vI1ZQbJr0T1xA -o page.html',
        'heronry page 6Zb0QmXq2vI1ZQbJr0T1xA --diff Y7c1nR0dTm9VY2u6Hk5s4g',
      ),
    )
    .action((digest: string, { output, diff }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        if (output !== undefined && diff !== undefined)
          throw new CommandError('usage', 'page: expected --output or --diff, got both');
        const one = await pageOf(client, digest);
        if (output !== undefined) {
          await writeFile(resolve(terminal.cwd, output), one.body);
          return print(terminal, command, one.page, () => `saved ${bytesText(one.body.length)} as ${output}`);
        }
        if (!isText(one.page))
          throw new CommandError(
            'usage',
            `page ${digest} is of type "${plainText(one.page.contentType ?? '')}": expected -o <file>, to save it`,
          );
        if (diff === undefined) {
          const { pageSource } = await import('../../vault/page-text.ts');
          const text = pageSource(one);
          terminal.err(headText(terminal, one));
          return print(terminal, command, { ...one.page, text }, () => screenText(text));
        }
        const other = await pageOf(client, diff);
        const { pageDiff } = await import('../../vault/page-text.ts');
        const parts = pageDiff(other, one);
        return print(terminal, command, parts, () => diffText(terminal, parts));
      }),
    );
}

async function pageOf(client: Client, digest: string): Promise<FetchedPage> {
  const { page, body } = await client.call('page.get', { digest });
  return { page, body: Buffer.from(body, 'base64') };
}

/** Whether a kept page or file can be shown on a terminal. */
function isText({ why, contentType = '' }: PageView): boolean {
  return (why !== 'file' && why !== 'screenshot') || /^text\/|[/+](?:json|xml)$/.test(contentType);
}

function headText(terminal: Terminal, { page, body }: FetchedPage): string {
  const { url, status, observedAt, scrape, redacted, screenshot } = page;
  const hidden = redacted === true ? ', without the credentials that it repeated' : '';
  return `${plainText(url)} ${status}, ${bytesText(body.length)}, ${clockText(observedAt, terminal.now())} UTC, scrape ${scrape}${hidden}${screenshot === undefined ? '' : `; screenshot ${screenshot}`}`;
}
