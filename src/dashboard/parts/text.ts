import { html } from 'hono/html';
import { amountText } from '../../view/amount-text.ts';
import { figureText, hiddenCharacters, plainText, valueText } from '../../view/text.ts';
import { changedWords } from '../../view/changed-text.ts';
import { clock } from './time.ts';
import type { Html } from './view.ts';

/** Texts are shown up to this many characters; the rest can be opened, up to the second bound. */
const shown = 240;
const most = 5_000;

/** The most words in which two texts on a page differ, as a page may compare hundreds: those that differ in more are told as replaced. */
export const mostWords = 200;

/** The characters of the title of a text that is cut, and those of JSON. */
const titled = 500;
const longestJson = 100_000;

/** Shows a text from a site or a person. It cannot change the direction of what stands around it. */
export function foreign(text: string): Html {
  const plain = plainText(text.slice(0, most));
  if (plain.length <= shown) return html`<bdi>${plain}</bdi>`;
  return html`<details class="long">
    <summary><bdi>${plain.slice(0, shown)}…</bdi></summary>
    <bdi>${plain}${text.length > most ? `… (${text.length} characters)` : ''}</bdi>
  </details>`;
}

/** Shows a text on one line, cut where it is long, with more of it as its title. */
export function short(text: string, length = 60): Html {
  const plain = plainText(text.slice(0, length + titled));
  if (plain.length <= length) return html`<bdi>${plain}</bdi>`;
  return html`<bdi title="${plain}">${plain.slice(0, length - 1)}…</bdi>`;
}

/** Shows a value as JSON, up to a bound, in a part of the page that scrolls. */
export function json(of: unknown, name: string): Html {
  const text = JSON.stringify(of, undefined, 2);
  const isLong = text.length > longestJson;
  return html`<pre tabindex="0" role="group" aria-label="${name}">
${visibleText(isLong ? text.slice(0, longestJson) : text)}</pre>
    ${isLong ? html`<p class="note">Cut: it has ${String(text.length)} characters.</p>` : ''}`;
}

/** A text of several lines in which no character hides, or moves what stands beside it: `\uFFFD` is in the place of each that would. */
export function visibleText(text: string): string {
  return text.replaceAll(hiddenCharacters, '\uFFFD');
}

/** Shows the value of a field. A web address is a link, which tells the site nothing of this page; an instant is shown by the clock. */
export function value(of: unknown): Html {
  if (of === null || of === undefined) return html`<span class="none">–</span>`;
  if (typeof of === 'string' && isInstant(of)) return clock(Date.parse(of));
  if (typeof of === 'string') return isWebAddress(of) ? link(of) : foreign(of);
  if (typeof of === 'number' || typeof of === 'boolean') return html`<span class="number">${String(of)}</span>`;
  return foreign(amountText(of) ?? valueText(of));
}

/** Shows a figure, such as the value of a metric, rounded and in groups of three digits. */
export function figure(of: unknown): Html {
  const [number = '', unit] = figureText(of).split(/ (?=[A-Z]{3}$)/);
  const grouped = number.replace(/(?<=^-?)\d+(?=(?:\.\d+)?$)/, (digits) => BigInt(digits).toLocaleString('en'));
  return html`<span class="number">${grouped}${unit === undefined ? '' : html` <small>${unit}</small>`}</span>`;
}

/** Shows an address of the web as a link; any other text as it is. */
export function link(address: string): Html {
  if (!isWebAddress(address)) return foreign(address);
  return html`<a class="out" href="${address}" rel="noreferrer noopener" target="_blank">${short(address, 80)}</a>`;
}

/** Shows how a value became another one: word by word where both are texts that have words in common. */
export function change(older: unknown, newer: unknown): Html {
  const parts = changedWords(bounded(older), bounded(newer), { most: mostWords });
  if (parts === undefined)
    return html`${older === undefined ? '' : html`<del>${value(older)}</del> `}<ins>${value(newer)}</ins>`;
  return html`<span class="words"
    >${parts.slice(0, 400).map(({ kind, text }) => {
      const plain = plainText(text);
      if (kind === 'same') return html`<bdi>${plain}</bdi> `;
      return kind === 'removed' ? html`<del><bdi>${plain}</bdi></del> ` : html`<ins><bdi>${plain}</bdi></ins> `;
    })}</span
  >`;
}

/** A text cut to what is compared word by word. */
function bounded(of: unknown): unknown {
  return typeof of === 'string' ? of.slice(0, most) : of;
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && text.length <= 2_000 && URL.canParse(text);
}
