import { html } from 'hono/html';
import type { SourceView } from '../../control/methods/source.ts';
import { foreign, short } from './text.ts';
import type { Html } from './view.ts';

/** The most problems that are shown. */
const shown = 50;

/** Shows problems of files, each with its line and column. */
export function problemList(problems: SourceView['problems']): Html {
  return html`<ul class="plain problems">
    ${problems.slice(0, shown).map(
      ({ file, line, column, path, message }) =>
        html`<li>
          <code>${short(file.replace(/^.*\//, ''), 60)}:${String(line)}:${String(column)}</code>
          ${path === '' ? '' : html`<strong>${short(path, 80)}</strong>`} <span class="bad">${foreign(message)}</span>
        </li>`,
    )}
    ${problems.length > shown ? html`<li>… and ${String(problems.length - shown)} more</li>` : ''}
  </ul>`;
}
