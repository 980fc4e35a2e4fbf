import type { DaemonConfig } from '../../definition/daemon.ts';
import type { Source } from '../../definition/source.ts';

/** Names of no site: those of examples and tests. */
const ofNoSite = /(?:^|\.)(?:example|invalid|test)$/;

/** The most sources that are named. */
const mostNamed = 5;

/** Says which sources are not asked, as the configuration names no contact. */
export async function contactWarnings(
  { bot }: Pick<DaemonConfig, 'bot'>,
  sources: readonly Source[],
): Promise<string[]> {
  if (bot.contact !== undefined) return [];
  const { isLoopbackUrl } = await import('../../definition/loopback.ts');
  const unasked = sources.flatMap(({ id, url }) => {
    const address = url === undefined ? null : URL.parse(url);
    return address === null || ofNoSite.test(address.hostname) || isLoopbackUrl(address.href) ? [] : [id];
  });
  if (unasked.length === 0) return [];
  const more = unasked.length - mostNamed;
  const named = `${unasked.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return [
    `no \`bot.contact\` in heronry.yaml, an address by which sites can reach you: without it nothing but this machine is asked, so not ${named}`,
  ];
}
