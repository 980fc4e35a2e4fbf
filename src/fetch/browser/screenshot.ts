import type { Page as Tab } from 'playwright-core';
import type { Screenshot } from '../page.ts';

/** The largest picture, in bytes; a larger one is not given. */
const maxBytes = 512 * 1024;

/** How long the browser may take for a picture, in milliseconds. */
const limitMs = 3_000;

/**
 * Takes a picture of what a tab shows. A picture is evidence and no part of the page: where the browser cannot give one in time, as for a page
 * whose scripts never rest, there is none.
 */
export async function takeScreenshot(tab: Tab): Promise<Screenshot | undefined> {
  try {
    const picture = await tab.screenshot({ type: 'jpeg', quality: 60, animations: 'disabled', timeout: limitMs });
    return picture.length > maxBytes ? undefined : new Uint8Array(picture);
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return undefined;
  }
}
