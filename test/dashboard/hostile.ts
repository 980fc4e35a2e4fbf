import assert from 'node:assert/strict';

/** A text that tries to run a script, to break out of an attribute and to turn the direction of what stands around it; it is also long. */
export const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>\u202Ereversed ${'x'.repeat(5_000)}`;

/** An address that would run a script where it were a link. */
export const hostileAddress = 'javascript:alert(1)';

/** Asserts that nothing of a hostile text is markup of a page. */
export function assertHarmless(page: string): void {
  assert.ok(!page.includes('<script>alert'), 'a script of the text is on the page');
  assert.ok(!page.includes('<img src=x'), 'an element of the text is on the page');
  // What a form sends has to be what it was.
  assert.ok(!page.replaceAll(/<input[^>]*>/g, '').includes('\u202E'), 'a mark of direction is on the page');
  assert.ok(!page.includes('href="javascript:'), 'a link runs a script');
}

/** The path of a view, with something for each part that its pattern leaves open. */
export function pathOf(pattern: string, text: string): string {
  return pattern
    .split('/')
    .map((part) =>
      /^:(?:scrape|step|ticket|job)$/.test(part) ? '7' : part.startsWith(':') ? encodeURIComponent(text) : part,
    )
    .join('/');
}
