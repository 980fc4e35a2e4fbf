import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, describe, test } from 'node:test';
import type { RenderAction } from '../../../src/fetch/action.ts';
import type { FetchOutcome } from '../../../src/fetch/request.ts';
import { noBrowser, openRenderer, waitFor } from '../../support/browser.ts';
import { openSite } from '../../support/site.ts';

const common = { number: 1, withinMs: 2_000, optional: false };

function click(css: string, times = 1): RenderAction {
  return { ...common, kind: 'click', name: `click ${css}`, css, times };
}

function scroll(times: number, css?: string): RenderAction {
  return { ...common, kind: 'scroll', name: `scroll ${css ?? 'end'}`, times, ...(css !== undefined && { css }) };
}

function type(css: string, text: string): RenderAction {
  return { ...common, kind: 'type', name: `type into ${css}`, css, text };
}

function textOf(outcome: FetchOutcome): string {
  if (outcome.kind !== 'page') assert.fail(JSON.stringify(outcome));
  return new TextDecoder().decode(outcome.page.body);
}

function failureOf(outcome: FetchOutcome): unknown {
  return outcome.kind === 'failure' ? outcome.failure : outcome.kind;
}

function reportsOf({ actions = [] }: FetchOutcome): unknown {
  return actions.map((report) => Object.fromEntries(Object.entries(report).filter(([name]) => name !== 'elapsedMs')));
}

/** A page that appends three numbers whenever it is asked, up to `count`; `when` says how it is asked. */
function growing(count: number, when: string): string {
  return `<!doctype html><style>li { height: 800px }</style><ul></ul><button>More</button><script>
    let last = 0;
    async function grow() {
      if (last >= ${count}) return;
      const { items } = await (await fetch('/items?after=' + last)).json();
      last = items.at(-1);
      for (const item of items) document.querySelector('ul').append(Object.assign(document.createElement('li'), { textContent: item }));
      if (last >= ${count}) document.querySelector('button').remove();
    }
    grow();
    ${when}
  </script>`;
}

const items = (request: IncomingMessage, response: ServerResponse): void => {
  const last = Number(new URL(request.url ?? '', 'http://x').searchParams.get('after'));
  setTimeout(() => response.end(JSON.stringify({ items: [last + 1, last + 2, last + 3] })), 50);
};

const onScroll = 'addEventListener("scroll", grow)';
const onClick = 'document.querySelector("button").addEventListener("click", grow)';

describe('what is done with a page in the browser', { skip: noBrowser, timeout: 100_000, concurrency: 3 }, () => {
  const renderer = openRenderer({ after: (end) => after(() => end?.({} as never, () => undefined)) });

  test('scrolls until nothing more comes, or as often as it may, and says which', async (t) => {
    const site = await openSite(t, { '/': growing(12, onScroll), '/items': items });
    const whole = await renderer.render(site.url('/'), { actions: [scroll(10)] });
    assert.equal(textOf(whole).match(/<li>/g)?.length, 12);
    assert.deepEqual(reportsOf(whole), [{ action: 'scroll end', outcome: 'done', times: 4, elements: 17 }]);
    assert.equal(whole.more, 4);
    const cut = await renderer.render(site.url('/'), { actions: [scroll(2)] });
    assert.equal(textOf(cut).match(/<li>/g)?.length, 9);
    assert.partialDeepStrictEqual(reportsOf(cut), [{ outcome: 'limited', times: 2 }]);
  });

  test('scrolls an element that has a bar of its own', async (t) => {
    const inner = growing(9, 'document.querySelector("ul").addEventListener("scroll", grow)');
    const site = await openSite(t, {
      '/': `<style>ul { height: 300px; overflow: auto }</style>${inner}`,
      '/items': items,
    });
    const whole = await renderer.render(site.url('/'), { actions: [scroll(10, 'ul')] });
    assert.equal(textOf(whole).match(/<li>/g)?.length, 9);
  });

  test('clicks until there is nothing to click, or as often as it may', async (t) => {
    const site = await openSite(t, { '/': growing(9, onClick), '/items': items });
    const whole = await renderer.render(site.url('/'), { actions: [click('button', 10)] });
    assert.equal(textOf(whole).match(/<li>/g)?.length, 9);
    assert.deepEqual(reportsOf(whole), [{ action: 'click button', outcome: 'done', times: 2, elements: 0 }]);
    const cut = await renderer.render(site.url('/'), { actions: [waitFor('li'), click('button', 1)] });
    assert.deepEqual(reportsOf(cut), [
      { action: 'wait li', outcome: 'done', elements: 3 },
      { action: 'click button', outcome: 'done', elements: 1 },
    ]);
  });

  test('types what a person would, where a field hears keys, and presses Enter at a line break', async (t) => {
    const site = await openSite(t, {
      '/': `<input id="q" value="old"><p></p><script>
        let keys = 0;
        q.addEventListener('keyup', () => (keys += 1));
        q.addEventListener('change', () => (document.querySelector('p').textContent = q.value + ' by ' + keys + ' keys'));
      </script>`,
    });
    const typed = await renderer.render(site.url('/'), { actions: [type('#q', 'zwölf\n')] });
    assert.match(textOf(typed), /<p>zwölf by [56] keys<\/p>/);
    assert.deepEqual(reportsOf(typed), [{ action: 'type into #q', outcome: 'done', elements: 1 }]);
  });

  test('ends the exchange where it leads to another page, and says how far it came', async (t) => {
    const site = await openSite(t, {
      '/': '<form action="/found"><input name="q"></form><a href="/next">Next</a>',
    });
    const sent = await renderer.render(site.url('/'), { actions: [type('input', 'a b\n'), waitFor('.result')] });
    assert.equal(sent.kind === 'redirect' && sent.url, site.url('/found?q=a+b'));
    assert.deepEqual(reportsOf(sent), [{ action: 'type into input', outcome: 'moved' }]);
    const left = await renderer.render(site.url('/'), { actions: [click('a')] });
    assert.equal(left.kind === 'redirect' && left.url, site.url('/next'));
    assert.equal(site.asked.length, 2);
  });

  test('hands over the cookies that scripts have set where it leads to another page', async (t) => {
    const script = `document.querySelector('a').onclick = () => {
      document.cookie = 'consent=given; path=/; max-age=86400'; document.cookie = 'sent=old'; document.cookie = 'shown=1';
    };`;
    const site = await openSite(t, {
      '/': (_, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'own=1; Path=/' })
          .end(`<a href="/next">Next</a><script>${script}</script>`),
    });
    const headers = { cookie: 'sent=old' };
    const left = await renderer.render(site.url('/'), { headers, actions: [click('a')] });
    assert.equal(left.kind, 'redirect');
    const set =
      left.kind === 'redirect' ? left.setCookies.map((text) => text.replace(/Expires=[^;]+ GMT/, 'Expires=…')) : [];
    assert.deepEqual(set.sort(), ['consent=given; Path=/; Expires=…', 'own=1; Path=/', 'shown=1; Path=/']);
  });

  test('fails where an element is not there or cannot be used, but for what is optional', async (t) => {
    const site = await openSite(t, {
      '/': '<button disabled>no</button><b hidden>x</b><b hidden>y</b><input type="password">',
    });
    const render = async (...actions: RenderAction[]) => renderer.render(site.url('/'), { actions });
    const short = { withinMs: 300 };
    const failed = { code: 'action_failed', number: 1 };
    for (const [action, reason] of [
      [waitFor('.none', 300), 'expected an element within 0.3 s, found none'],
      [{ ...scroll(1, '.none'), ...short }, 'expected an element to scroll within 0.3 s, found none'],
      [
        { ...click('b'), ...short },
        'expected an element that is visible, enabled and not covered within 0.3 s, found 2 that are not',
      ],
      [
        { ...click('button'), ...short },
        'expected an element that is visible, enabled and not covered within 0.3 s, found 1 that is not',
      ],
      [
        { ...type('.q', 'x'), ...short },
        'expected a field to type into that is visible and enabled within 0.3 s, found none',
      ],
      [type('input', 'x'), 'expected no field for a password: a log-in belongs under auth'],
      [{ ...click('b:nope'), ...short }, 'expected a selector that the browser knows'],
    ] as const)
      assert.deepEqual(failureOf(await render(action)), { ...failed, action: action.name, reason });
    const passed = await render({ ...click('.none'), ...short, optional: true }, waitFor('b'));
    assert.deepEqual(reportsOf(passed), [
      { action: 'click .none', outcome: 'absent', elements: 0 },
      { action: 'wait b', outcome: 'done', elements: 2 },
    ]);
  });

  test('reaches no other site by what is done', async (t) => {
    const [site, other] = [await openSite(t), await openSite(t, { '/': 'secret' })];
    const url = other.url('/').replace('127.0.0.1', 'localhost');
    site.answer(
      '/',
      `<button onclick="fetch('${url}', { mode: 'no-cors' })">x</button><input onkeyup="new Image().src = '${url}'">`,
    );
    const done = await renderer.render(site.url('/'), { actions: [click('button'), type('input', 'x')] });
    assert.equal(done.kind, 'page');
    assert.equal(other.asked.length, 0);
  });

  test('ends with the limits of the request, in time and in size', async (t) => {
    const endless = `<ul></ul><script>addEventListener('scroll', () => {
      for (let i = 0; i < 5_000; i++) document.querySelector('ul').append(document.createElement('li'));
    })</script><p style="height: 2000px">`;
    const site = await openSite(t, { '/': endless });
    const large = await renderer.render(site.url('/'), { actions: [scroll(200)], limits: { maxBytes: 30_000 } });
    assert.deepEqual(failureOf(large), { code: 'too_large', limitBytes: 30_000 });
    const pause = { ...common, kind: 'pause', name: 'wait 60s', ms: 60_000 } as const;
    const late = await renderer.render(site.url('/'), { actions: [pause], limits: { totalMs: 2_500 } });
    assert.deepEqual(failureOf(late), { code: 'timeout', stage: 'total', afterMs: 2_500 });
  });

  test('tells that requests were refused as too many', async (t) => {
    const few = openRenderer(t, { limits: { maxRequests: 2 } });
    const site = await openSite(t, { '/': growing(12, onScroll), '/items': items });
    const cut = await few.render(site.url('/'), { actions: [scroll(10)] });
    assert.match(cut.notes?.join() ?? '', /more than 2 requests/);
  });
});
