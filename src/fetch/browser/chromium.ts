import { access, constants } from 'node:fs/promises';
import type { Browser, BrowserType } from 'playwright-core';

/** An installed Chromium. */
export interface Chromium {
  /** Starts it. `proxy` is the URL of its only way out. Rejects if it does not start within 30 s. */
  launch(proxy: string): Promise<Browser>;
}

/** The Chromium that was found, or what is to be installed. */
export type FoundChromium =
  | { readonly ok: true; readonly chromium: Chromium }
  | { readonly ok: false; readonly cause: string };

/** The place in which Chromium is looked for, and the log. */
export interface ChromiumOptions {
  /** Default: the first that exists of the usual paths. */
  readonly executablePath?: string;
  /** Called with what an operator should know. */
  warn(message: string): void;
}

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Command-line switches besides those that playwright sets, which already silence background services. */
const switches = [
  // Nothing but the proxy: no UDP (the policy has two names, by version), and no name is looked up here.
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--dns-prefetch-disable',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // What Chromium would do of its own accord.
  '--disable-domain-reliability',
  '--disable-client-side-phishing-detection',
  '--disable-crash-reporter',
  '--disable-speech-api',
  '--disable-notifications',
  '--no-pings',
  '--safebrowsing-disable-auto-update',
  // What no page needs in order to be read.
  '--block-new-web-contents',
  '--disable-gpu',
  '--mute-audio',
  '--blink-settings=imagesEnabled=false',
  '--js-flags=--max-old-space-size=512',
];

/** The environment variables that the browser gets. The daemon's secrets are in others. */
const passedOn = [
  'HOME',
  'LANG',
  'PATH',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'TMPDIR',
  'TZ',
  'USERPROFILE',
  'XDG_RUNTIME_DIR',
];

/**
 * Looks for playwright-core and for a Chromium, and loads only the former. Rejects with an error of loading
 * playwright-core other than its absence.
 */
export async function findChromium({ executablePath, warn }: ChromiumOptions): Promise<FoundChromium> {
  const playwright = await loadPlaywright();
  if (!playwright) return { ok: false, cause: 'install it with "npm install playwright-core"' };
  const places = executablePath === undefined ? usualPlaces : [executablePath];
  const executable = await firstExecutable(places);
  if (executable !== undefined) return { ok: true, chromium: { launch } };
  const looked = executablePath ?? 'the usual places';
  return { ok: false, cause: `there is no Chromium at ${looked}; install one, such as Debian's package "chromium"` };

  async function launch(proxy: string): Promise<Browser> {
    // Chromium's own sandbox refuses to work for root.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) warn('Chromium runs without its sandbox, since this process runs as root: expected an ordinary user');
    const starting = (playwright as BrowserType).launch({
      executablePath: executable as string,
      chromiumSandbox: !isRoot,
      headless: true,
      args: switches,
      proxy: { server: proxy },
      env: environment(),
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false,
      timeout: 30_000,
    });
    return starting.catch((error: unknown) => {
      throw new Error(`it did not start: ${startTrouble(error)}`, { cause: error });
    });
  }
}

async function loadPlaywright(): Promise<BrowserType | undefined> {
  try {
    return (await import('playwright-core')).chromium;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Chromium's own message, which stands somewhere within playwright's. */
function startTrouble(error: unknown): string {
  const lines = String(error instanceof Error ? error.message : error).split('\n');
  const said = lines.find(
    (line) => /sandbox!|without --no-sandbox|shared librar|FATAL/i.test(line) && !/<launching>/.test(line),
  );
  return (said ?? lines[0] ?? '').replace(/^[\s-]*(?:\[pid=\d+\]\[err\])?\s*/, '').trim();
}

async function firstExecutable(places: readonly string[]): Promise<string | undefined> {
  for (const place of places) {
    try {
      await access(place, constants.X_OK);
      return place;
    } catch (absent) {
      if (!(absent instanceof Error)) throw absent;
    }
  }
  return undefined;
}

function environment(): Record<string, string> {
  const entries = passedOn.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}
