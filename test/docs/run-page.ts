import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { rolesOf } from './fences.ts';
import { isShown } from './printed.ts';
import { openReaderShell, type OtherTerminal, patienceMs } from './reader-shell.ts';

/** The ports that the pages name, the one of the practice sites first: each test has free ones in their place. */
const ports = ['7480', '7437'] as const;

/**
 * Runs every block of a page as a reader would, one after the other in a folder that is empty at first. Prints the blocks that are not run, with their reasons.
 * CONTRIBUTING.md says how a page marks what its blocks are for.
 */
export async function runPage(t: TestContext, page: string): Promise<void> {
  const own = await Promise.all(ports.map(freePort));
  const swap = (text: string, from: readonly string[], to: readonly string[]): string =>
    from.reduce((swapped, port, at) => swapped.replaceAll(port, to[at] ?? port), text);
  const shell = await openReaderShell(t, own[0] ?? '');
  const run = async (commands: string, exits?: number): Promise<string> => {
    const { printed, status } = await shell.run(commands);
    if (exits !== undefined) assert.equal(status, exits, `status ${status}\n${printed}`);
    return swap(printed, own, ports);
  };
  let printed = '';
  let other: OtherTerminal | undefined;
  const steps = rolesOf(page);
  for (const [at, [{ where, content }, role]] of steps.entries()) {
    const written = swap(content, ports, own);
    try {
      switch (role.type) {
        case 'not run':
          t.diagnostic(`${where} is not run: ${role.reason}`);
          break;
        case 'other terminal':
          other = shell.start(written);
          break;
        case 'other terminal prints':
          await (other ?? assert.fail('nothing runs in another terminal')).prints(written);
          break;
        case 'file':
          await writeIn(shell.cwd(), role.file, written);
          break;
        case 'added':
          await addIn(shell.cwd(), role, written);
          break;
        case 'run':
          printed = await run(written, role.exits);
          break;
        case 'run until': {
          const shown = steps[at + 1]?.[0].content ?? '';
          const deadline = performance.now() + patienceMs;
          do printed = await run(written);
          while (!isShown(shown, printed) && performance.now() < deadline);
          break;
        }
        case 'printed':
          assert.ok(isShown(content, printed), `it shows\n${content}\nbut printed is\n${printed}`);
          break;
        default:
          role satisfies never;
      }
    } catch (error) {
      throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
}

async function writeIn(folder: string, name: string, text: string): Promise<void> {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text, { mode: 0o600 });
}

/** Adds text to a file below a line of it. */
async function addIn(
  folder: string,
  { file, below }: { readonly file: string; readonly below: string },
  text: string,
): Promise<void> {
  const before = await readFile(join(folder, file), 'utf8');
  assert.ok(before.includes(`${below}\n`), `expected the line ${JSON.stringify(below)} in ${file}, got\n${before}`);
  await writeFile(
    join(folder, file),
    before.replace(`${below}\n`, (line) => line + text),
  );
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  assert.ok(typeof address === 'object' && address !== null);
  return String(address.port);
}
