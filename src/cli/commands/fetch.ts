import { Command } from 'commander';
import type { RobotsVerdictView, TriedStepView, TryView } from '../../control/methods/source.ts';
import { examples, helpGroups, print, withDaemon } from '../cli.ts';
import { durationText } from '../../time-text.ts';
import { CommandError } from '../exit-status.ts';
import { tryPage } from '../local/page.ts';
import { holdText } from '../../view/host-text.ts';
import { actionText } from '../show-trial.ts';
import { type Fact, factLines } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText, countText, plainText } from '../../view/text.ts';

/** `fetch`: fetches one page and shows every decision on the way. */
export function createCommand(terminal: Terminal): Command {
  return new Command('fetch')
    .helpGroup(helpGroups.sources)
    .description('fetch one page as a scrape would, and show every decision on the way; stores nothing')
    .argument('<url>', 'the page')
    .requiredOption('-s, --source <id>', 'the source whose definition and session are used')
    .addHelpText(
      'after',
      examples(
        'heronry fetch https://kickfund.example/projects/solar --source kickfund',
        'heronry fetch https://kickfund.example/projects/solar -s kickfund --json',
      ),
    )
    .action((url: string, { source }: { readonly source: string }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const found = await tryPage(terminal, command, client, { id: source, url });
        print(terminal, command, found, () => showFetched(terminal, found));
        const { failure } = found;
        if (failure) throw new CommandError('failed', `fetch: ${failure.code}: ${plainText(failure.message)}`);
      }),
    );
}

function showFetched(terminal: Terminal, { steps, drafts, finished }: TryView): string {
  const shown = steps.map((step, index) => showStep(terminal, step, index + 1));
  const read = `read         ${countText(drafts.length, 'record')}${finished ? '; it says it is finished' : ''}`;
  return [...shown, ...(steps.at(-1)?.outcome === 'read' ? [`   ${read}`] : [])].join('\n');
}

function showStep(terminal: Terminal, step: TriedStepView, number: number): string {
  const { url, method, key, proxy, actions = [], validators, cause, seenBy, failure } = step;
  const facts: readonly Fact[] = [
    ['host', plainText(key)],
    ['robots.txt', robotsText(step.robots)],
    ['addresses', addressTexts[step.addresses]],
    ['proxy', proxy],
    ['user agent', plainText(step.userAgent)],
    ['headers', step.headers.join(', ')],
    ['session', step.sessionHeaders.length > 0 ? `sends ${step.sessionHeaders.join(', ')}` : 'sends nothing'],
    ['turn', turnText(step)],
    ['answer', step.wasAsked ? answerText(step) : 'none, as it was not asked'],
    ...actions.map((action): Fact => ['browser', actionText(action)]),
    ['validators', validators.join(', ')],
    ['failure', failure && terminal.paint('red', `${failure.code}: ${plainText(failure.message)}`)],
    ['taken for', cause && (seenBy === failure?.message ? cause : `${cause}: ${plainText(seenBy ?? '')}`)],
    ['then', thenText(step)],
  ];
  return [
    terminal.paint('bold', `${number}  ${method} ${plainText(url)}`),
    ...factLines(facts, { indent: '   ' }),
  ].join('\n');
}

const addressTexts: Readonly<Record<TriedStepView['addresses'], string>> = {
  public: 'public ones',
  public_and_private: 'public and private ones, as the source says allowPrivate',
  public_and_loopback: 'public ones and loopback, as the source says allowPrivate',
  loopback: 'loopback only, as no contact is configured',
  none: 'none: no contact is configured, and the source does not say allowPrivate',
};

function robotsText({ verdict, rule, crawlDelayMs, cause }: RobotsVerdictView): string {
  const delay = crawlDelayMs === undefined ? '' : `; crawl-delay ${durationText(crawlDelayMs)}`;
  switch (verdict) {
    case 'ignored':
      return 'ignored, as the source says';
    case 'allowed':
      return `allows it${rule === undefined ? ': no rule concerns it' : ` by "${plainText(rule)}"`}${delay}`;
    case 'disallowed':
      return `refuses it by "${plainText(rule ?? '')}"${delay}`;
    case 'unreachable':
      return `out of reach: ${plainText(cause ?? '')}`;
    case 'unknown':
      return 'not known';
    default:
      return verdict satisfies never;
  }
}

function turnText({ waitedMs, hold, ahead }: TriedStepView): string {
  if (ahead === undefined) return 'took none';
  const why = [...(hold ? [holdText(hold)] : []), ...(ahead > 0 ? [`${ahead} before it`] : [])];
  return `waited ${durationText(waitedMs)}${why.length > 0 ? `: ${why.join(', ')}` : ''}`;
}

function answerText({ status, location, bytes, elapsedMs }: TriedStepView): string {
  const leads = location === undefined ? '' : ` to ${plainText(location)}`;
  return `${status ?? 'no status'}${leads}, ${bytesText(bytes)} in ${durationText(elapsedMs)}`;
}

function thenText({ decision, retryAfterMs }: TriedStepView): string {
  switch (decision) {
    case 'complete':
      return 'a scrape is complete';
    case 'follow':
      return 'follows it, as a request of its own';
    case 'authenticate':
      return 'logs in and asks again';
    case 'retry':
      return `a scrape asks again after ${durationText(retryAfterMs ?? 0)} at the earliest`;
    case 'fail':
      return 'a scrape fails';
    default:
      return decision satisfies never;
  }
}
