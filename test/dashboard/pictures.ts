import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../support/browser.ts';

/**
 * Takes pictures of the dashboard of a demo: each page on a desktop and a phone, light and dark.
 * `node test/dashboard/pictures.ts FOLDER` (`npm run pictures`); the folder is made. `docs/dashboard.png` is `project-desktop-light.png`.
 */
const folder = process.argv[2] ?? 'pictures';

/** The pages, by the names of their pictures. A page without a fixed address is where a link on another page leads to. */
const pages: Readonly<Record<string, string | { readonly on: string; readonly link: string }>> = {
  overview: '',
  projects: 'projects',
  bulk: 'bulk?action=archive&all=yes',
  project: 'projects/paper-radio',
  diff: 'projects/paper-radio/diff',
  why: 'projects/paper-radio/why',
  sources: 'sources',
  source: 'sources/crowd',
  try: { on: 'sources/crowd/try', link: '#kept a' },
  schedule: 'schedule',
  tickets: 'tickets',
  ticket: { on: 'tickets?state=all', link: 'main a[href^="tickets/"]' },
  held: 'held',
  hosts: 'hosts',
  host: { on: 'hosts', link: 'main a[href^="hosts/"]' },
  scrape: 'scrapes/3',
  pipelines: 'pipelines',
  steps: 'steps',
  step: { on: 'steps', link: 'main a[href^="steps/"]' },
  workers: 'workers',
  tree: 'tree',
  outbox: 'outbox',
  audit: 'audit',
  api: 'docs/api',
};

const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** The events that the demo has told before the pictures are taken, so that there is something on them. */
const eventsBefore = 300;

const program = join(import.meta.dirname, '..', '..', 'src', 'heronry.cjs');
const demo = spawn(process.execPath, [program, 'demo', '--for', '30m'], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  let url: string | undefined;
  let lines = 0;
  for await (const line of createInterface({ input: demo.stdout })) {
    url ??= /http:\S+\/login#code=\S+/.exec(line)?.[0];
    lines += 1;
    if (url !== undefined && lines > eventsBefore) break;
  }
  if (url === undefined) throw new Error('expected the demo to print the address of its dashboard');
  await mkdir(folder, { recursive: true });
  await take(url);
} finally {
  demo.kill('SIGTERM');
  if (demo.exitCode === null) await once(demo, 'exit');
}

async function take(url: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  try {
    const first = await browser.newContext();
    const page = await first.newPage();
    await page.goto(url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    // One of the sites of the demo is down for a while, soon after the start.
    await page.goto(new URL('tickets?state=all', new URL(url).origin).href);
    await page.locator('main a[href^="tickets/"]').first().waitFor({ timeout: 180_000 });
    const storageState = await first.storageState();
    for (const [size, viewport] of Object.entries(sizes))
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ viewport, colorScheme, storageState });
        const shown = await context.newPage();
        for (const [name, place] of Object.entries(pages)) {
          const { on, link } = typeof place === 'string' ? { on: place, link: undefined } : place;
          await shown.goto(new URL(on, new URL(url).origin).href);
          if (link !== undefined) await shown.locator(link).first().click();
          await shown.waitForLoadState();
          // Charts are drawn once their library has come.
          await shown.locator('[data-chart]:not(:has(.uplot))').first().waitFor({ state: 'detached' });
          await shown.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
        }
        await context.close();
      }
  } finally {
    await browser.close();
  }
}
