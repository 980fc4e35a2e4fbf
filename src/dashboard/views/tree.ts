import { html } from 'hono/html';
import type { TreeNode } from '../../control/methods/daemon.ts';
import { durationText } from '../../time-text.ts';
import { bytesText, countText } from '../../view/text.ts';
import { status } from '../parts/status.ts';
import { foreign, short } from '../parts/text.ts';
import type { Html, View } from '../parts/view.ts';

/** The children shown of each supervisor, and the levels. */
const [children, levels] = [50, 6];

/** The supervision tree as it runs: each life with its state, mailbox, restarts and last exit. */
export const tree: View = {
  path: 'tree',
  async show({ call }) {
    const root = await call('tree.get', { depth: levels, limit: children });
    return {
      title: 'Tree',
      body: html`<div class="scroll" role="group" aria-label="Supervision tree" tabindex="0">
        <table class="tree">
          <thead>
            <tr>
              <th scope="col">Life</th>
              <th scope="col">State</th>
              <th scope="col" class="number">Mailbox</th>
              <th scope="col" class="number">Restarts</th>
              <th scope="col" class="number">Age</th>
              <th scope="col" class="number">Memory</th>
              <th scope="col">Last exit</th>
            </tr>
          </thead>
          <tbody>
            ${rows(root, 0)}
          </tbody>
        </table>
      </div>`,
    };
  },
};

function rows(node: TreeNode, level: number): Html {
  const { id, kind, state, mailbox, restarts, ageMs, memoryBytes, lastExit, children: below = [], more } = node;
  return html`<tr>
      <td class="level-${String(Math.min(level, levels))}">${short(id, 60)} <span class="note">${kind}</span></td>
      <td>${status(state)}</td>
      <td class="number ${mailbox > 100 ? 'bad' : ''}">${String(mailbox)}</td>
      <td class="number ${restarts > 0 ? 'bad' : ''}">${String(restarts)}</td>
      <td class="number">${durationText(ageMs)}</td>
      <td class="number">${bytesText(memoryBytes)}</td>
      <td>${lastExit === undefined ? '' : foreign(lastExit)}</td>
    </tr>
    ${below.map((each) => rows(each, level + 1))}
    ${
      more === undefined
        ? ''
        : html`<tr>
            <td class="level-${String(Math.min(level + 1, levels))} note" colspan="7">
              and ${countText(more, 'more')}
            </td>
          </tr>`
    }`;
}
