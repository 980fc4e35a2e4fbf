import { lstatSync } from 'node:fs';
import { relative } from 'node:path';
import type { Problem } from '../definition/problem.ts';
import type { Terminal } from './terminal.ts';
import { plainText } from '../view/text.ts';

/** Formats problems of files, one a line, as `file:line:column: path: message`, to which editors can jump. */
export function showProblems(terminal: Terminal, problems: readonly Problem[]): string {
  return problems
    .map(({ file, line, column, path, message }) => {
      const name = plainText(relative(terminal.cwd, file) || file);
      // There is no line to jump to in a file that is not there.
      const place = lstatSync(file, { throwIfNoEntry: false }) === undefined ? name : `${name}:${line}:${column}`;
      return `${terminal.paint('bold', place)}: ${path ? `${plainText(path)}: ` : ''}${plainText(message)}`;
    })
    .join('\n');
}
