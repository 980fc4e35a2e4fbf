// @ts-check
/** Takes a one-time code from the fragment of the address, which no server is told, out of the address bar, and logs in by it. */
const code = new URLSearchParams(location.hash.slice(1)).get('code');
const form = document.querySelector('form');
const secret = form?.querySelector('input');
if (code && form && secret) {
  history.replaceState(null, '', location.pathname + location.search);
  secret.value = code;
  form.requestSubmit();
}
