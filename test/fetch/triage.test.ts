import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Cause, type Symptoms, triage } from '../../src/fetch/triage.ts';
import { threadMsOf } from '../support/thread-time.ts';

const login = { urls: ['https://h.test/login'], expiredStatus: [401, 440] };

/** A fetch that failed with a status. */
function status(
  code: number,
  more: Omit<Symptoms, 'failure' | 'status'> & { readonly retryAfterMs?: number } = {},
): Symptoms {
  const { retryAfterMs, ...rest } = more;
  return {
    status: code,
    url: 'https://h.test/p',
    ...rest,
    failure: {
      code: 'status',
      message: `answered with status ${code}`,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  };
}

/** A page with status 200 in which nothing was found. */
function noRecord(excerpt: string, more: Partial<Symptoms> = {}): Symptoms {
  return { status: 200, url: 'https://h.test/p', excerpt, failure: { code: 'no_record' }, ...more };
}

function failure(code: string): Symptoms {
  return { failure: { code } };
}

/** A page whose extraction went well. */
function page(excerpt: string, headers: Readonly<Record<string, string>> = {}): Symptoms {
  return { status: 200, url: 'https://h.test/p', excerpt, headers };
}

const article = `<h1>Are you a robot?</h1><p>${'A review of captchas and how to verify you are human. '.repeat(40)}</p>`;
const shell = '<!doctype html><div id=root></div><script src="/app.js"></script>';

const table: readonly (readonly [what: string, symptoms: Symptoms, cause: Cause | undefined])[] = [
  ['a page that was read', page('<h1>Lamp</h1>'), undefined],
  ['a time-out', failure('timeout'), 'network'],
  ['a refused connection', failure('unreachable'), 'network'],
  ['a page cut short', failure('truncated'), 'network'],
  ['a proxy that did not let it through', failure('proxy_failed'), 'network'],
  ['an answer that is not HTTP', failure('bad_response'), 'network'],
  ['a certificate that is not to be trusted', failure('bad_certificate'), 'network'],
  ['a request that was cancelled', failure('cancelled'), 'unexpected'],
  ['a scrape that took too long', failure('time_limit'), 'unexpected'],
  ['a browser that is not installed', failure('renderer_missing'), 'unexpected'],
  ['a browser that broke down', failure('render_crashed'), 'unexpected'],
  ['a body over the limit', failure('too_large'), 'too_large'],
  ['a body in another encoding', failure('bad_encoding'), 'unexpected'],
  ['a refused address', failure('refused_address'), 'unexpected'],
  ['something that was never seen', failure('new_code'), 'unexpected'],
  ['500', status(500), 'origin_down'],
  ['502', status(502), 'origin_down'],
  ['503', status(503), 'origin_down'],
  ['503 that asks to wait', status(503, { retryAfterMs: 1_000 }), 'rate_limited'],
  ['522', status(522), 'origin_down'],
  ['429', status(429), 'rate_limited'],
  ['429 with a captcha', status(429, { excerpt: 'unusual traffic' }), 'rate_limited'],
  ['404', status(404), 'not_found'],
  ['404 that talks of robots', status(404, { excerpt: 'are you a robot?' }), 'not_found'],
  ['410', status(410), 'gone'],
  ['408', status(408), 'network'],
  ['418', status(418), 'unexpected'],
  ['403', status(403), 'blocked'],
  ['451', status(451), 'blocked'],
  ['401', status(401), 'login_expired'],
  ['a status that the definition names', status(440), 'login_expired'],
  ['401 of a firewall', status(401, { headers: { 'x-sucuri-block': 'XSS' } }), 'blocked'],
  [
    'a redirect to a page about log-ins',
    { status: 302, from: 'https://h.test/en', url: 'https://h.test/blog/auth/intro?lang=en' },
    undefined,
  ],
  [
    'a redirect to a log-in with a parameter that says nothing',
    { status: 302, from: 'https://h.test/', url: 'https://h.test/auth/?utm=' },
    undefined,
  ],
  [
    'a redirect to a path that ends with a name for log-ins',
    { status: 302, from: 'https://h.test/p', url: 'https://h.test/oauth2/auth/?next=/p' },
    'login_expired',
  ],
  ['a redirect to the log-in', { status: 302, url: 'https://h.test/login/?next=/p' }, 'login_expired'],
  [
    'a redirect to what looks like a log-in',
    { status: 302, from: 'https://h.test/p?x=1', url: 'https://sso.h.test/users/sign_in?return_to=%2Fp%3Fx%3D1' },
    'login_expired',
  ],
  [
    'a redirect to a log-in that names the whole address',
    {
      status: 302,
      from: 'https://h.test/p',
      url: 'https://h.test/Account/Login.aspx?ReturnUrl=https%3A%2F%2Fh.test%2Fp%2F',
    },
    'login_expired',
  ],
  [
    'a redirect to a log-in of another site',
    { status: 302, from: 'https://h.test/p', url: 'https://other.test/login?next=/p' },
    undefined,
  ],
  [
    'a redirect to a log-in that does not lead back',
    { status: 302, from: 'https://h.test/p', url: 'https://h.test/signin?lang=en' },
    undefined,
  ],
  [
    'a redirect between two pages of a log-in',
    { status: 302, from: 'https://h.test/login', url: 'https://h.test/login/new?next=/login' },
    undefined,
  ],
  [
    'a redirect to a page about logins',
    { status: 302, from: 'https://h.test/p', url: 'https://h.test/blog/login-with-passkeys?from=/p' },
    undefined,
  ],
  ['a redirect elsewhere', { status: 302, url: 'https://h.test/other' }, undefined],
  ['a log-in form in place of content', noRecord('<form><input name=p type="password"></form>'), 'login_expired'],
  ['content with a log-in form beside it', page('<h1>Lamp</h1><input type=password>'), undefined],
  ['a Cloudflare challenge by its header', status(403, { headers: { 'cf-mitigated': 'challenge' } }), 'blocked'],
  ['a Cloudflare challenge by its title', status(503, { excerpt: '<title>Just a moment...</title>' }), 'blocked'],
  ['a Cloudflare challenge with status 200', page('<script>window._cf_chl_opt={}</script>'), 'blocked'],
  [
    'content behind Cloudflare',
    page('<h1>Lamp</h1><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js">'),
    undefined,
  ],
  ['a challenge of AWS WAF', { status: 202, headers: { 'x-amzn-waf-action': 'challenge' } }, 'blocked'],
  ['a captcha of AWS WAF', status(405, { headers: { 'x-amzn-waf-action': 'captcha' } }), 'blocked'],
  ['a challenge of Vercel', status(429, { headers: { 'x-vercel-mitigated': 'challenge' } }), 'blocked'],
  [
    'a captcha of DataDome',
    status(403, { excerpt: "<script>var dd={'host':'geo.captcha-delivery.com'}</script>" }),
    'blocked',
  ],
  ['a page of HUMAN', status(403, { excerpt: '<div id="px-captcha">' }), 'blocked'],
  ['content watched by HUMAN', page("<h1>Lamp</h1><script>window._pxAppId='x'</script>"), undefined],
  ['a page of Imperva', page('Request unsuccessful. Incapsula incident ID: 1-2'), 'blocked'],
  ['content behind Imperva', page('<h1>Lamp</h1><script src="/_Incapsula_Resource?SWJIYLWA=1">'), undefined],
  ['a page of Akamai', status(403, { excerpt: '<TITLE>Access Denied</TITLE> ... Reference&#32;&#35;18.2' }), 'blocked'],
  [
    'a page of F5',
    page('The requested URL was rejected. Please consult with your administrator.<br>Your support ID is: 1'),
    'blocked',
  ],
  ['words for robots in place of content', noRecord('<p>Please verify you are human.</p>'), 'blocked'],
  ['the widget of a captcha in place of content', noRecord('<div class="g-recaptcha"></div>'), 'blocked'],
  ['an article about robots', page(article), undefined],
  [
    'a page that sets a cookie and loads itself again',
    noRecord('<script>document.cookie="a=1";location.reload()</script>'),
    'blocked',
  ],
  ['the empty shell of an application', noRecord(shell), 'unexpected'],
  ['nothing but a script with 503', status(503, { excerpt: '<html><script>x()</script>' }), 'blocked'],
  ['an error page of the origin', status(503, { excerpt: '<h1>Down for maintenance</h1>' }), 'origin_down'],
  ['a page of another form', noRecord('<h1>Welcome</h1><p>Our new design</p>'), 'unexpected'],
  ['a page that is no HTML', { status: 200, failure: { code: 'not_html' } }, 'unexpected'],
];

describe('triage', () => {
  for (const [what, symptoms, cause] of table)
    test(`takes ${what} for ${cause ?? 'nothing wrong'}`, () => assert.equal(triage(symptoms, login)?.cause, cause));

  test('of a source without a log-in sees none in a form for passwords', () => {
    assert.equal(triage(noRecord('<input type=password>'))?.cause, 'unexpected');
  });

  test('of a source without a log-in knows a log-in page in place of a record by its address, or its title and form', () => {
    const form = '<input type=password>';
    assert.deepEqual(triage({ ...noRecord('<p>Your e-mail</p>'), at: 'https://h.test/de/sign-in?c=1' }), {
      cause: 'login_expired',
      message: 'got what looks like a log-in page, at https://h.test/de/sign-in; the definition has no auth',
    });
    assert.equal(triage(noRecord(`<title>Sign in - Shop</title>${form}`))?.cause, 'login_expired');
    assert.equal(triage(noRecord('<title>How to sign in</title>'))?.cause, 'unexpected');
    assert.equal(triage({ ...noRecord(form), at: 'https://h.test/p/lamp' })?.cause, 'unexpected');
    assert.equal(triage({ ...page(form), at: 'https://h.test/login' }), undefined);
  });

  test('of a source without a log-in knows where others are made, and says that there is none', () => {
    const trouble = triage({ status: 302, from: 'https://h.test/p', url: 'https://h.test/login?next=%2Fp' });
    assert.deepEqual(trouble, {
      cause: 'login_expired',
      message: 'was sent to what looks like a log-in, at https://h.test/login; the definition has no auth',
    });
  });

  test('says what it was seen by, and how long the host asks to wait', () => {
    assert.deepEqual(triage(status(429, { retryAfterMs: 7_000 })), {
      cause: 'rate_limited',
      message: 'answered with status 429',
      retryAfterMs: 7_000,
    });
    assert.equal(
      triage(status(403, { headers: { 'cf-mitigated': 'challenge' } }))?.message,
      'stopped by a challenge of Cloudflare',
    );
  });

  test('is quick with whatever a site sends', () => {
    for (const piece of [
      '<',
      '<!--',
      '<script ',
      '<input ',
      '<iframe ',
      '<a ',
      'id="cf-error-details"',
      '<title>Access Denied</title>',
    ]) {
      const took = threadMsOf(() => triage(noRecord(piece.repeat(200_000 / piece.length)), login));
      assert.ok(took < 1_000, `${piece}: ${took} ms`);
    }
  });
});

test('a challenge that a header tells is none of a log-in, whatever the definition takes its status for', () => {
  const signs = { urls: [], expiredStatus: [401, 403] };
  assert.deepEqual(triage(status(403, { headers: { 'cf-mitigated': 'challenge' } }), signs), {
    cause: 'blocked',
    message: 'stopped by a challenge of Cloudflare',
  });
  assert.equal(triage(status(403), signs)?.cause, 'login_expired');
});
