import type { Command } from 'commander';
import type { SitemapTargets } from '../../definition/project.ts';
import type { ListedAddress } from '../../definition/target-file.ts';
import type { ExtractPlan } from '../../extract/plan.ts';
import { defined } from '../../defined.ts';
import { withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../../view/text.ts';
import { type HeldPage, peekPage } from './page.ts';
import { readOnThread } from './read-page.ts';

/** The most files that a sitemap may have, with the indexes, and the most of its addresses that may be targets. */
const [maxFiles, maxAddresses] = [50, 50_000];

/** How long one file may take to be parsed. */
const limitMs = 30_000;

const plan: ExtractPlan = {
  id: 'sitemap',
  document: 'xml',
  tree: 'fast',
  records: [],
  mayBeEmpty: true,
  links: 'sitemap',
};

/**
 * Has the daemon fetch a sitemap, with those that an index leads to, and returns the addresses in it that are targets. Prints how many are
 * not, and which files list none. Rejects with a `CommandError` where any file of it cannot be read, or it has too many.
 */
export async function readSitemap(
  terminal: Terminal,
  command: Command,
  given: SitemapTargets,
): Promise<readonly ListedAddress[]> {
  const { addressesOf } = await import('../../definition/target-file.ts');
  const pattern = await patternOf(terminal, command, given.source);
  const files = new Set([given.from]);
  let left = 0;
  const found = new Map<string, ListedAddress>();
  // A set that grows meanwhile is walked to its end.
  for (const file of files) {
    const { links = [], sitemaps = [] } = await readFile(terminal, command, file);
    if (links.length + sitemaps.length === 0) terminal.err(`warning: ${plainText(file)}: lists no address`);
    for (const loc of sitemaps) files.add(await memberOf(loc, file, given.from));
    if (files.size > maxFiles) throw failed(given.from, `expected at most ${maxFiles} files, got more of this sitemap`);
    const kept = addressesOf(links, given, pattern);
    left += links.length - kept.length;
    for (const address of kept) found.set(address.url, address);
    if (found.size > maxAddresses)
      throw failed(given.from, `expected at most ${maxAddresses} addresses, got more: "match" keeps some of them`);
  }
  const why = [
    ...(pattern === undefined ? [] : [`${pattern} of source ${given.source} does not make them`]),
    ...(given.match === undefined ? [] : ['"match" is not found in them']),
  ];
  if (left > 0) terminal.err(`${plainText(given.from)}: ${countText(left, 'URL')} left out, as ${why.join(' or ')}`);
  if (found.size === 0) throw failed(given.from, 'expected at least one address that is a target, got none');
  return [...found.values()];
}

/** The pattern of a source's addresses, as the daemon has it. */
async function patternOf(terminal: Terminal, command: Command, source: string): Promise<string | undefined> {
  let pattern: unknown;
  await withDaemon(terminal, command, async (client) => {
    const { definition } = await client.call('source.get', { id: source });
    pattern = (definition as { readonly url?: unknown } | undefined)?.url;
  });
  return typeof pattern === 'string' ? pattern : undefined;
}

async function readFile(terminal: Terminal, command: Command, file: string) {
  const { body, url, contentType } = await peekPage(terminal, command, file).catch((error: unknown): HeldPage => {
    throw error instanceof CommandError ? failed(file, error.message) : error;
  });
  const read = await readOnThread(
    { body: new Uint8Array(body).buffer, url, plan, ...defined({ contentType }) },
    {},
    limitMs,
  );
  const outcome = read.ok ? read.value.outcome : read;
  if (outcome.ok) return outcome.extraction;
  const { describeExtractFailure } = await import('../../extract/describe.ts');
  throw failed(file, describeExtractFailure(outcome.failure));
}

/** The address of a file that an index names. */
async function memberOf(loc: string, file: string, from: string): Promise<string> {
  const [{ isLoopbackUrl }, { isHttpUrl }] = await Promise.all([
    import('../../definition/loopback.ts'),
    import('../../definition/url-pattern.ts'),
  ]);
  const url = URL.parse(loc, file)?.href ?? '';
  if (!isHttpUrl(url)) throw failed(file, `expected an http or https URL of a sitemap, got "${loc.slice(0, 200)}"`);
  // No site leads the daemon to services of its own machine.
  if (isLoopbackUrl(url) && !isLoopbackUrl(from))
    throw failed(file, `the sitemap ${url} may not be asked for from here`);
  return url;
}

function failed(url: string, message: string): CommandError {
  return new CommandError('failed', `${plainText(url)}: ${plainText(message)}`);
}
