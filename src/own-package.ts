import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// By its own name: its modules lie deeper in the published package, where they are built, than in the repository.
const require = createRequire(import.meta.url);
const manifestFile = require.resolve('heronry/package.json');

/** The file that starts the program, with the arguments of the command line. */
export const launcherFile = join(dirname(manifestFile), 'src', 'heronry.cjs');

/** The version in the package's own description. */
export function ownVersion(): string {
  return (require(manifestFile) as { readonly version: string }).version;
}
