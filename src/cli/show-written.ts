import { plainText } from '../view/text.ts';

/** Shows how a definition file was changed, or would be. */
export function showWritten({ file, diff }: { readonly file: string; readonly diff: string }, isDry: boolean): string {
  return `${plainText(file)} ${isDry ? 'would differ so' : 'is written'}:\n${plainLines(diff)}`;
}

function plainLines(text: string): string {
  return text
    .split('\n')
    .map((line) => `${/^ */.exec(line)?.[0] ?? ''}${plainText(line)}`)
    .join('\n');
}
