import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Cause, triage } from '../../src/fetch/triage.ts';

const login = { urls: ['https://h.test/login'], expiredStatus: [401] };

const links = (count: number): string => '<a class=n href="/x">x</a>'.repeat(count);
const form = '<form action=/login><input name=u><input name=p type="password"></form>';
const moment = '<title>Just a moment...</title><script>window._cf_chl_opt={}</script>';

const table: readonly (readonly [what: string, excerpt: string, cause: Cause | undefined])[] = [
  ['the last page of a list', `<nav>${links(12)}</nav><p>No more lamps.</p>`, undefined],
  ['a list without an item, in JSON', '{"items":[]}', undefined],
  ['a list without an item, with little else', '<h1>Lamps</h1><p>None.</p>', undefined],
  ['a challenge of Cloudflare', moment, 'blocked'],
  ['words for robots', '<p>Please verify you are human.</p>', 'blocked'],
  ['words for robots in JSON', '{"message":"automated requests are not allowed"}', 'blocked'],
  ['nothing but a script that sets a cookie', '<script>document.cookie="a=b";location.reload()</script>', 'blocked'],
  ['the head of a long page', `<script>document.cookie="a=b";${'x'.repeat(9_000)}`.slice(0, 8_192), undefined],
  ['a page of the site that has a captcha beside', `${links(12)}<div class="g-recaptcha"></div>`, undefined],
  ['a form for a password', `<h1>Hello</h1>${form}${links(3)}`, 'login_expired'],
  ['a form for a password on a page that is called so', `<title>Sign in</title>${links(12)}${form}`, 'login_expired'],
  ['a page of the site that has a form for a password beside', `<title>Lamps</title>${links(12)}${form}`, undefined],
];

describe('a page on which nothing was found', () => {
  for (const [what, excerpt, cause] of table)
    test(`that is ${what} is ${cause ?? 'what it is'}`, () => {
      const symptoms = { status: 200, url: 'https://h.test/p', excerpt, isEmpty: true } as const;
      assert.equal(triage(symptoms, login)?.cause, cause);
    });

  test('that asks for a password where the definition has no log-in says so', () => {
    const found = triage({ status: 200, excerpt: form, isEmpty: true });
    assert.deepEqual(found, {
      cause: 'login_expired',
      message: 'got a form for a password in place of the page; the definition has no auth',
    });
    assert.equal(triage({ status: 200, excerpt: form }), undefined);
  });
});
