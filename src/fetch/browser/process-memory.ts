import { readFile } from 'node:fs/promises';
import type { Browser, CDPSession } from 'playwright-core';

const everyMs = 500;

/**
 * Ends each process of the browser that renders pages and takes more memory than `maxBytes`, which its pages then hear as a
 * crash. A limit of the system's would not do, as Chromium reserves far more than it uses. Does nothing but on Linux.
 */
export function watchMemory(browser: Browser, maxBytes: number): void {
  if (process.platform !== 'linux') return;
  let state: 'idle' | 'looking' = 'idle';
  const session = browser.newBrowserCDPSession();
  // A browser that is gone already needs no watching.
  session.catch(() => undefined);
  const timer = setInterval(() => {
    if (state === 'looking' || browser.contexts().length === 0) return;
    state = 'looking';
    const looked = (): void => void (state = 'idle');
    session.then((each) => endLarge(each, maxBytes)).then(looked, looked);
  }, everyMs);
  timer.unref();
  browser.once('disconnected', () => clearInterval(timer));
}

async function endLarge(session: CDPSession, maxBytes: number): Promise<void> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  for (const { id, type } of processInfo) {
    if (type === 'renderer' && (await ownBytes(id)) > maxBytes) process.kill(id, 'SIGKILL');
  }
}

/** Of a process alone, without the program that all of them share. */
async function ownBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = Array.from(status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm), ([, text]) => Number(text));
  return kibibytes.reduce((sum, each) => sum + each, 0) * 1024;
}
