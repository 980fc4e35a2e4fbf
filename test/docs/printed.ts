/** What a command that waits tells off a terminal; on one, these lines pass. */
const passing = /^scrape \d+ waits /;

/** Reduces what was printed, or is shown, to what is compared: lines without the width of their columns. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !passing.test(line))
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
}

/**
 * Says whether a text is what a page shows. White space does not count. `…` stands for anything within a line, and a line that is `…` alone for any
 * number of lines, also none.
 */
export function isShown(shown: string, printed: string): boolean {
  const lines = linesOf(printed);
  const pattern = linesOf(shown)
    .map((line) =>
      line === '…'
        ? '(?:.*\n)*?'
        : `${line
            .split('…')
            .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
            .join('.*?')}\n`,
    )
    .join('');
  return new RegExp(`^${pattern}$`).test(lines.map((line) => `${line}\n`).join(''));
}
