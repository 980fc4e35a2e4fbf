import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

/**
 * Uses an installed package as a person does: runs its demo, then has it track a page of a site on loopback whose price changes. Runs in the
 * folder of the installation; prints each command with what it wrote, and ends with 1 at the first that fails.
 */
let price = 0;
const site = createServer(({ url }, response) => {
  if (url === '/kettle') price += 5;
  response.setHeader('content-type', 'text/html');
  response.end(
    `<h1>Solar kettle</h1><p data-sku="K1">K1</p><p class="price">${price}.00 EUR</p><p class="stock">3</p>`,
  );
}).listen(0, '127.0.0.1');
await once(site, 'listening');
const address = site.address();
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;

async function heronry(cwd: string, ...words: string[]): Promise<void> {
  const child = spawn('npx', ['heronry', ...words], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const [status] = (await once(child, 'close')) as [number | null];
  // A demo has much to tell; its last line is the sum.
  const told = status === 0 && words[0] === 'demo' ? `${out.trimEnd().split('\n').at(-1)}\n` : out;
  process.stdout.write(`$ heronry ${words.join(' ')}\n${told}`);
  if (status === 0) return;
  process.stdout.write(`ended with ${status}\n`);
  process.exit(1);
}

const top = process.cwd();
const watch = join(top, 'watch');
const source = join(watch, 'sources', 'example.yaml');
await heronry(top, '--version');
await heronry(top, 'demo', '--for', '5s');
await heronry(top, 'init', 'watch');
await writeFile(source, (await readFile(source, 'utf8')).replaceAll('http://127.0.0.1:8080', origin));
await heronry(watch, 'validate');
await heronry(watch, 'start', '--detach');
await heronry(watch, 'add', 'kettle', '--url', `${origin}/kettle`);
await heronry(watch, 'rescrape', 'kettle', '--wait');
await heronry(watch, 'rescrape', 'kettle', '--wait');
await heronry(watch, 'show', 'kettle');
await heronry(watch, 'history', 'kettle');
await heronry(watch, 'stop');
site.close();
