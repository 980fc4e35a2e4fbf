import { html } from 'hono/html';
import { bare } from './layout.ts';
import { assetPath } from './parts/assets.ts';
import type { Html } from './parts/view.ts';

/** Renders the form of a log-in, which works without scripts, and what was wrong before. */
export function logInPage(base: string, next: string, failure?: string): Html {
  const action = next === '/' ? 'login' : `login?${new URLSearchParams({ next }).toString()}`;
  return bare(
    'Log in',
    base,
    html`<main id="main" class="alone">
      <h1>Log in</h1>
      ${failure === undefined ? '' : html`<p class="outcome error" role="alert">${failure}</p>`}
      <form method="post" action="${action}">
        <label>
          Token or one-time code
          <input name="secret" type="password" autocomplete="current-password" required autofocus />
        </label>
        <button>Log in</button>
      </form>
      <p>
        <code>heronry dashboard</code> prints an address that logs you in; <code>heronry token create</code> makes a
        token.
      </p>
    </main>`,
    html`<script type="module" src="${assetPath('login.js')}"></script>`,
  );
}
