import { ControlError } from '../control/error.ts';

/**
 * Makes the function that throws a daemon's refusal again, with the options of a command in place of the parameters that they set.
 *
 * @param names - the options that have other names than their parameters; of the rest, the names are the same.
 */
export function inOptions(names: Readonly<Record<string, string>>): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ControlError)) throw error;
    const { code, message, issues } = error;
    const lines =
      issues.length === 0
        ? message.split('\n')
        : issues.map(({ path, message: fault }) => (path === '' ? fault : `${path}: ${fault}`));
    const told = lines.map((line) => lineIn(names, line)).join('\n');
    throw new ControlError(code, told, { issues, cause: error });
  };
}

function lineIn(names: Readonly<Record<string, string>>, line: string): string {
  return line
    .replace(/^targets\[0\]: /, '')
    .replace(/^(?:(?:targets\[0\]|targetSchedule)\.)?([a-zA-Z]+)[\w.[\]]*: /, (whole, name: string) =>
      name === 'targets' || name === 'id' ? whole : `--${names[name] ?? name}: `,
    )
    .replaceAll('expected "url"', 'expected --url')
    .replaceAll('"source", as there is no "url" to find it by', '--source, as there is no --url to find it by')
    .replaceAll(' in place of "params"', ' in place of --param');
}
