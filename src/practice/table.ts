import { escaped, sayings } from './sayings.ts';

/** Two rows for each saying: its words, and below them its tags. */
export function tablePage(): string {
  const rows = sayings.map(
    ({ text, author, tags }) =>
      `<tr style="border: 0"><td>“${escaped(text)}” Author: ${escaped(author)}</td></tr>
       <tr><td style="padding-bottom: 2em">Tags: ${tags.map((tag) => `<a href="/tag/${tag}">${tag}</a>`).join(' ')}</td></tr>`,
  );
  return `<h1>Sayings</h1><table><tr><th>All of them</th></tr>${rows.join('\n')}<tr><td>That was all.</td></tr></table>`;
}
