import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { chromiumPath } from '../support/browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core tells of a page, as far as it is used here. */
interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** The dashboard in a browser. */
export interface Viewing extends AsyncDisposable {
  /** The address of a page within the dashboard. */
  at(path: string): string;
  /** Opens a page in a new tab. Whatever is wrong on it fails the test at its end. */
  open(path?: string): Promise<Page>;
  /** Checks a page as a screen reader would have it, and the contrast of its colours in both themes. */
  check(page: Page): Promise<void>;
}

/** What of a page is checked: all of it, or what depends on the theme. */
const checks = {
  all: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'],
  colours: ['color-contrast'],
} as const;

/** Starts a browser. The tests of a file share one, each with its own contexts. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
}

/**
 * Views the dashboard of a daemon as a person who logs in by a token. Once it is disposed of, each error on the console of a page,
 * each exception of its scripts, each dialog, each breach of its policy and each request of another origin has thrown.
 */
export async function view(
  browser: Browser,
  { port, token }: { readonly port: number; readonly token?: string },
  options: BrowserContextOptions = {},
): Promise<Viewing> {
  const context = await browser.newContext(options);
  const origin = `http://127.0.0.1:${port}`;
  const wrong: string[] = [];
  context.on('console', (message) => {
    // A page that is not there is told by its status, which is no fault of the page.
    const isPage =
      message.text().startsWith('Failed to load resource') && message.location().url === message.page()?.url();
    if (message.type() === 'error' && !isPage)
      wrong.push(`${message.page()?.url()}: ${message.text()} ${message.location().url}`);
  });
  context.on('dialog', (dialog) => {
    wrong.push(`${dialog.page()?.url()}: dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('weberror', (error) => wrong.push(`${error.page()?.url()}: ${error.error().message}`));
  context.on('requestfailed', (request) => {
    // A stream ends with its page, and a page that is left is not waited for.
    const isOver = ['net::ERR_ABORTED', 'NS_BINDING_ABORTED'].includes(request.failure()?.errorText ?? '');
    if (!isOver) wrong.push(`${request.url()}: ${request.failure()?.errorText}`);
  });
  context.on('request', (request) => {
    const { origin: asked, protocol } = new URL(request.url());
    if (asked !== origin && protocol !== 'data:') wrong.push(`asked another origin: ${request.url()}`);
  });
  const at = (path: string): string => `${origin}/${path}`;
  if (token !== undefined) {
    const page = await context.newPage();
    await page.goto(at('login'));
    await page.getByLabel('Token or one-time code').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(at(''));
    await page.close();
  }
  return {
    at,
    async open(path = '') {
      const page = await context.newPage();
      await page.goto(at(path));
      return page;
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      assert.deepEqual(wrong, []);
    },
    async check(page) {
      await page.evaluate(axe);
      const told = [
        ...(await violations(page, 'light', checks.all)),
        ...(await violations(page, 'dark', checks.colours)),
      ];
      assert.deepEqual(told, [], page.url());
    },
  };
}

/** What axe-core finds wrong with a page in a theme. The document in a frame is a site's, not ours. */
async function violations(page: Page, colorScheme: 'light' | 'dark', runOnly: readonly string[]): Promise<string[]> {
  await page.emulateMedia({ colorScheme });
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'], iframes: false });
  const result = await page.evaluate<AxeResult>(`axe.run(document, ${options})`);
  return result.violations.map(({ id, nodes }) => {
    const first = nodes.slice(0, 3).map(({ html }) => html.slice(0, 200));
    return `${id}, ${colorScheme}: ${first.join(' | ')}`;
  });
}
