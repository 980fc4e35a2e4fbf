import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { takeExcerpt } from '../../src/extract/excerpt.ts';
import { type Cause, type Symptoms, triage } from '../../src/fetch/triage.ts';

const login = { urls: ['https://h.test/login'], expiredStatus: [401] };

const links = (count: number): string => '<a class=n href="/x">x</a>'.repeat(count);
const form = '<form action=/login><input name=u><input name=p type="password"></form>';
const styles = `<style>${'i { color: red } '.repeat(400)}</style>`;
const moment = '<title>Just a moment...</title><script>window._cf_chl_opt={}</script>';

const table: readonly (readonly [what: string, page: string, cause: Cause | undefined])[] = [
  ['the last page of a list', `<nav>${links(12)}</nav><p>No more lamps.</p>`, undefined],
  ['a list without an item, in JSON', '{"items":[]}', undefined],
  ['a list without an item, with little else', '<h1>Lamps</h1><p>None.</p>', undefined],
  ['a challenge of Cloudflare', moment, 'blocked'],
  ['words for robots', '<p>Please verify you are human.</p>', 'blocked'],
  ['words for robots in JSON', '{"message":"automated requests are not allowed"}', 'blocked'],
  ['nothing but a script that sets a cookie', '<script>document.cookie="a=b";location.reload()</script>', 'blocked'],
  ['words for robots and some kilobytes of styles', `${styles}<p>Please verify you are human.</p>`, 'blocked'],
  [
    'words for robots before more styles than are kept of a page',
    `<p>Please verify you are human.</p>${styles}${styles}`,
    'blocked',
  ],
  ['a long page that begins with a script', `<script>document.cookie="a=b";${'x'.repeat(9_000)}`, undefined],
  [
    'a script and the links of a site',
    `<script>document.cookie="a=b";${'я'.repeat(7_000)}</script>${links(12)}`,
    undefined,
  ],
  [
    'a long page of the site that talks of scripts and cookies',
    `<noscript>Enable JavaScript and cookies to continue</noscript>${styles}${styles}${links(12)}`,
    undefined,
  ],
  [
    'a long page of the site that begins with a form for a password',
    `${form}${styles}${styles}${links(12)}`,
    undefined,
  ],
  ['a long page with a form for a password and little else', `${form}${styles}${styles}${links(3)}`, 'login_expired'],
  ['a page of the site that has a captcha beside', `${links(12)}<div class="g-recaptcha"></div>`, undefined],
  ['a form for a password', `<h1>Hello</h1>${form}${links(3)}`, 'login_expired'],
  ['a form for a password on a page that is called so', `<title>Sign in</title>${links(12)}${form}`, 'login_expired'],
  ['a page of the site that has a form for a password beside', `<title>Lamps</title>${links(12)}${form}`, undefined],
];

/** What is known of a page that was read and gave nothing. */
function emptied(page: string, known?: { readonly isCut: boolean }): Symptoms {
  const excerpt = takeExcerpt(page, known);
  return { status: 200, url: 'https://h.test/p', excerpt: excerpt.text, empty: excerpt };
}

describe('a page on which nothing was found', () => {
  for (const [what, page, cause] of table)
    test(`that is ${what} is ${cause ?? 'what it is'}`, () => assert.equal(triage(emptied(page), login)?.cause, cause));

  test('and of which only the beginning is known is judged by what content never has', () => {
    const of = (page: string) => triage(emptied(page, { isCut: true }), login)?.cause;
    assert.deepEqual(
      [of('<p>Please verify you are human.</p>'), of(form), of(moment)],
      [undefined, undefined, 'blocked'],
    );
    assert.equal(of(`<title>Sign in</title>${form}`), 'login_expired');
  });

  test('that asks for a password where the definition has no log-in says so', () => {
    const found = triage(emptied(form));
    assert.deepEqual(found, {
      cause: 'login_expired',
      message: 'got a form for a password in place of the page; the definition has no auth',
    });
    assert.equal(triage({ status: 200, excerpt: form }), undefined);
  });
});
