import { html } from 'hono/html';
import { type SideRow, sideBySide } from '../../view/side-by-side.ts';
import { changedWords } from '../../view/changed-text.ts';
import { type DiffPart, wordDiff } from '../../view/text-diff.ts';
import { cutText, plainText } from '../../view/text.ts';
import { mostWords } from './text.ts';
import type { Html } from './view.ts';

/** The most rows that are shown, and the most characters of a line. */
const [mostRows, mostCharacters] = [200, 600];

/** The characters of a long line that are compared before its first difference. */
const charactersBefore = 60;

/** Lines of more characters together are shown with a few words around each difference. */
const shownWhole = 240;

/** The names of two texts, as the headings of their columns. */
export type SideNames = readonly [older: string, newer: string];

/** Shows two texts of markup side by side, with the lines that differ and in them the words. */
export function sideTable([older, newer]: SideNames, before: string, after: string): Html {
  const rows = sideBySide(before, after);
  if (rows.length === 0) return html`<p class="empty">The two have the same lines.</p>`;
  return html`<div class="scroll" role="group" aria-label="${older} and ${newer} side by side" tabindex="0">
      <table class="sides">
        <thead>
          <tr>
            <th scope="col">${older}</th>
            <th scope="col">${newer}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.slice(0, mostRows).map(
            (row) =>
              html`<tr class="${row.kind}">
                ${cells(row)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${rows.length > mostRows ? html`<p class="note">The first ${String(mostRows)} of ${String(rows.length)} rows.</p>` : ''}`;
}

function cells(row: SideRow): Html {
  if (row.kind === 'left-out') return html`<td colspan="2" class="note">${String(row.lines)} equal lines</td>`;
  if (row.kind === 'same')
    return html`<td>${line(row.text)}</td>
      <td>${line(row.text)}</td>`;
  if (row.older === undefined || row.newer === undefined)
    return html`<td>${row.older === undefined ? '' : html`<del>${line(row.older)}</del>`}</td>
      <td>${row.newer === undefined ? '' : html`<ins>${line(row.newer)}</ins>`}</td>`;
  const [older, newer] = fromDifference(row.older, row.newer);
  const parts =
    older.length + newer.length > shownWhole
      ? changedWords(older, newer, { most: mostWords })
      : wordDiff(older, newer, mostWords);
  if (parts === undefined)
    return html`<td><del>${line(older)}</del></td>
      <td><ins>${line(newer)}</ins></td>`;
  return html`<td>${words(parts, 'added')}</td>
    <td>${words(parts, 'removed')}</td>`;
}

/** The parts of two lines that are compared: long lines from shortly before their first difference on, up to the most characters of a line. */
function fromDifference(older: string, newer: string): readonly [string, string] {
  let same = 0;
  while (same < older.length && older[same] === newer[same]) same += 1;
  const isLong = Math.max(older.length, newer.length) > mostCharacters;
  const start = isLong ? Math.max(0, same - charactersBefore) : 0;
  const part = (text: string) => cutText(`${start > 0 ? '…' : ''}${text.slice(start)}`, mostCharacters);
  return [part(older), part(newer)];
}

/** The words of one side, without those that only the other one has. */
function words(parts: readonly DiffPart[], other: 'added' | 'removed'): Html {
  return html`${parts
    .filter(({ kind }) => kind !== other)
    .slice(0, 100)
    .map(({ kind, text }) => {
      const shown = line(text);
      return kind === 'same'
        ? html`${shown} `
        : kind === 'removed'
          ? html`<del>${shown}</del> `
          : html`<ins>${shown}</ins> `;
    })}`;
}

function line(text: string): Html {
  return html`<bdi>${cutText(plainText(text), mostCharacters)}</bdi>`;
}

/** Shows lines of a difference, of which `-` or `+` begins those that go and come; or a sentence, where there are none. */
export function diffLines(diff: string, name: string): Html {
  if (diff === '') return html`<p class="empty">Nothing differs.</p>`;
  const all = diff.split('\n');
  return html`<div class="diff" role="group" aria-label="${name}" tabindex="0">
      ${all.slice(0, mostRows).map((each) => {
        const shown = html`${/^ */.exec(each)?.[0] ?? ''}${line(each)}`;
        if (each.startsWith('-')) return html`<del>${shown}</del>`;
        return each.startsWith('+') ? html`<ins>${shown}</ins>` : html`<span>${shown}</span>`;
      })}
    </div>
    ${all.length > mostRows ? html`<p class="note">The first ${String(mostRows)} of ${String(all.length)} lines.</p>` : ''}`;
}
