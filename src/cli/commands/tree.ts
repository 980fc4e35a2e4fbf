import { setInterval } from 'node:timers/promises';
import { Command } from 'commander';
import type { MethodInput } from '../../control/methods.ts';
import type { TreeNode } from '../../control/methods/daemon.ts';
import { examples, helpGroups, print, withClient } from '../cli.ts';
import { durationText } from '../../time-text.ts';
import { countOption } from '../options.ts';
import { cutAt } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText, plainText } from '../../view/text.ts';

type Options = MethodInput<'tree.get'> & { readonly watch?: boolean };

const watchMs = 1_000;

/** `tree`: shows the supervision tree as it runs. */
export function createCommand(terminal: Terminal): Command {
  return new Command('tree')
    .helpGroup(helpGroups.daemon)
    .description('show the supervision tree as it runs')
    .option('-w, --watch', 'show it every second, until interrupted')
    .option('-d, --depth <levels>', 'the most levels to show', countOption)
    .option('--limit <count>', 'the most children of each supervisor to show; by default 100', countOption)
    .addHelpText('after', examples('heronry tree', 'heronry tree --watch --depth 2'))
    .action(({ watch, ...asked }: Options, command: Command) =>
      withClient(terminal, command, async (client) => {
        const show = async (make: typeof showTree): Promise<void> =>
          print(terminal, command, await client.call('tree.get', asked), (tree) => make(terminal, tree).join('\n'));
        await show(watch ? showFrame : showTree);
        for await (const _ of watch ? setInterval(watchMs) : []) await show(showFrame);
      }),
    );
}

/**
 * Formats the tree to replace the one before on a terminal, cut to its size; off a terminal, a blank line ends each
 * tree.
 */
function showFrame(terminal: Terminal, node: TreeNode): string[] {
  const { columns, rows } = terminal;
  if (columns === undefined || rows === undefined) return [...showTree(terminal, node), ''];
  const lines = showTree(terminal, node).map((line) => cutAt(line, columns));
  const room = Math.max(rows - 1, 2);
  const shown = lines.length > room ? [...lines.slice(0, room - 1), '…'] : lines;
  return [`\u001B[H\u001B[J${shown[0]}`, ...shown.slice(1)];
}

function showTree(terminal: Terminal, node: TreeNode): string[] {
  const children = (node.children ?? []).map((child) => showTree(terminal, child));
  if (node.more) children.push([terminal.paint('dim', `… ${node.more} more`)]);
  return [
    showNode(terminal, node),
    ...children.flatMap((lines, index) => indent(lines, index === children.length - 1)),
  ];
}

function indent([first = '', ...rest]: readonly string[], isLast: boolean): string[] {
  return [`${isLast ? '└─ ' : '├─ '}${first}`, ...rest.map((line) => `${isLast ? '   ' : '│  '}${line}`)];
}

function showNode(terminal: Terminal, node: TreeNode): string {
  const notes = [
    ...(node.state === 'running' ? [] : [terminal.paint('yellow', node.state)]),
    durationText(node.ageMs),
    ...(node.memoryBytes > 0 ? [bytesText(node.memoryBytes)] : []),
    ...(node.mailbox > 0 ? [`${node.mailbox} waiting`] : []),
    ...(node.restarts > 0 ? [terminal.paint('yellow', `restarted ${node.restarts}×`)] : []),
    ...(node.lastExit === undefined ? [] : [`last exit: ${plainText(node.lastExit)}`]),
  ];
  const id = node.kind === 'supervisor' ? terminal.paint('bold', node.id) : node.id;
  return `${id}  ${terminal.paint('dim', notes.join(', '))}`;
}
