import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { openPracticeWeb } from '../../src/practice/web.ts';

async function open(
  t: TestContext,
  received?: (body: string) => void,
): Promise<(path: string, body?: string) => Promise<string>> {
  const web = await openPracticeWeb({ port: 0, ...(received && { received }) });
  t.after(() => web.close());
  return async (path, body) => {
    const response = await fetch(web.origin + path, body === undefined ? {} : { method: 'POST', body });
    return response.text();
  };
}

describe('the practice sites', () => {
  test('answer the same until a button is pressed, and then show another price', async (t) => {
    const ask = await open(t);
    const before = await ask('/kettle');
    assert.match(before, /€29\.90/);
    assert.equal(await ask('/kettle'), before);
    assert.match(await ask('/kettle/next', ''), /€24\.50/);
    assert.match(await ask('/kettle'), /€24\.50/);
  });

  test('rename the class of the prices in the list of books, and back', async (t) => {
    const ask = await open(t);
    const before = await ask('/books/page-2.html');
    assert.match(before, /class="price"/);
    await ask('/books/redesign', '');
    assert.equal(await ask('/books/page-2.html'), before.replaceAll('class="price"', 'class="cost"'));
    await ask('/books/redesign', '');
    assert.equal(await ask('/books/page-2.html'), before);
  });

  test('hand on what is posted to the inbox, and cut a body without end', async (t) => {
    const bodies: string[] = [];
    const ask = await open(t, (body) => void bodies.push(body));
    await ask('/inbox', 'a price fell');
    await assert.rejects(ask('/inbox', 'x'.repeat(1_100_000)));
    assert.deepEqual(bodies, ['a price fell']);
  });

  test('name every site on the first page, and answer there', async (t) => {
    const ask = await open(t);
    const paths = Array.from((await ask('/')).matchAll(/href="([^"]+)"/g), ([, path = '']) => path);
    assert.ok(paths.length > 8);
    for (const path of paths) assert.notEqual(await ask(path), 'not found', path);
  });
});
