import { hash } from 'node:crypto';
import { type DrillPage, type Mutation, type Opened, withHtml } from './mutation.ts';

/** Something else stands in the place of the page. */
export const walls: readonly Mutation[] = [
  wall(
    'soft 404',
    ['soft_404'],
    'Page not found',
    '<h1>Sorry, this page does not exist</h1><p>We could not find what you were looking for.</p><a href="/">Back to the start page</a>',
  ),
  wall(
    'challenge',
    ['challenge'],
    'Just a moment...',
    '<h1>Verify you are human</h1><p>Please complete the captcha to continue.</p><div class="g-recaptcha" data-sitekey="x"></div><script src="/captcha/api.js"></script>',
  ),
  wall(
    'log-in wall',
    ['login_wall'],
    'Sign in',
    '<h1>Please sign in</h1><form action="/login" method="post"><input name="user"><input type="password" name="password"><button>Sign in</button></form>',
  ),
  wall(
    'cookie wall',
    ['cookie_wall'],
    'Before you continue',
    '<h1>We value your privacy</h1><p>We and our partners use cookies to store and access information. Accept all cookies to continue to the site.</p><form action="/consent"><button>Accept all</button><button>Manage cookies</button></form>',
  ),
  wall(
    'script shell',
    ['script_shell'],
    'App',
    '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/static/main.js"></script>',
  ),
  wall(
    'maintenance',
    ['site_down'],
    'Maintenance',
    '<h1>We will be back soon</h1><p>The site is down for scheduled maintenance. Please try again later.</p>',
  ),
  {
    name: 'redirected to the start page',
    causes: ['redirected_home'],
    keepsAll: false,
    apply: (opened) =>
      withHtml(
        opened,
        shell(
          'Welcome',
          '<h1>Welcome</h1><ul><li><a href="/new">New</a></li><li><a href="/sale">Sale</a></li><li><a href="/about">About us</a></li></ul><p>Everything for your home and garden.</p>',
        ),
        {
          url: new URL('/', opened.page.url).href,
        },
      ),
  },
  {
    name: 'another record in its place',
    causes: ['wrong_page'],
    keepsAll: false,
    apply(opened) {
      const { $, items } = opened;
      if (items.length > 1) return false;
      let changed = 0;
      $('h1, h2, p, span, div, td, dd, li').each((_, node) => {
        const element = $(node);
        if (element.children().length > 0) return;
        const text = element.text();
        const other = text
          .replaceAll(/\p{L}{3,}/gu, (word) => Array.from(word).toReversed().join('').toLowerCase())
          .replaceAll(/\d/g, (digit) => String((Number(digit) + 3) % 10));
        if (other === text) return;
        element.text(other);
        changed += 1;
      });
      return changed > 2 ? undefined : false;
    },
  },
  {
    name: 'laid out anew',
    causes: ['layout_moved', 'rule_lost'],
    keepsAll: true,
    apply: redesign,
  },
  answer('answers 503', ['site_down'], 503, 'Service Unavailable'),
  answer('answers 403', ['blocked', 'challenge'], 403, 'Access denied'),
  answer('answers 429', ['blocked'], 429, 'Too Many Requests'),
];

function wall(name: string, causes: Mutation['causes'], title: string, body: string): Mutation {
  return { name, causes, keepsAll: false, apply: (opened) => withHtml(opened, shell(title, body)) };
}

function answer(name: string, causes: Mutation['causes'], status: number, text: string): Mutation {
  return {
    name,
    causes,
    keepsAll: false,
    apply: (opened) => withHtml(opened, shell(text, `<h1>${text}</h1>`), { status }),
  };
}

function shell(title: string, body: string): string {
  return `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;
}

/** Says the texts of each record in elements with other names, in their order. What had one name in several records has one name again. */
function redesign({ $, items, page }: Opened): false | DrillPage {
  const tiles = items.toArray().map((item) => {
    const seen = new Map<string, number>();
    return $(item)
      .find('*')
      .toArray()
      .map((node) => $(node))
      .filter(
        (element) =>
          element.children().length === 0 && element.text().trim() !== '' && !element.is('script, style, title, meta'),
      )
      .map((element) => {
        const old = `${element.prop('tagName')}.${element.attr('class') ?? ''}`;
        const number = (seen.get(old) ?? 0) + 1;
        seen.set(old, number);
        return { name: wordFor(`${old} ${number}`), text: element.text().trim() };
      });
  });
  if (tiles.every((each) => each.length < 2)) return false;
  const head = $('head').html() ?? '';
  const cards = tiles.map(
    (each) =>
      `<section class="tile">${each.map(({ name, text }) => `<p class="${name}">${$('<p></p>').text(text).html()}</p>`).join('')}</section>`,
  );
  return {
    ...page,
    html: `<!doctype html><html><head>${head}</head><body><main class="grid">${cards.join('')}</main></body></html>`,
  };
}

/** A word of three syllables that stands for a name: the same on all pages of a site, as a person would give it. */
function wordFor(name: string): string {
  const [consonants, vowels] = ['bdfglmnprstv', 'aeiou'];
  return Array.from(hash('sha256', name, 'buffer').subarray(0, 3), (octet) => {
    const consonant = consonants[octet % consonants.length] ?? '';
    return `${consonant}${vowels[Math.floor(octet / consonants.length) % vowels.length] ?? ''}`;
  }).join('');
}
