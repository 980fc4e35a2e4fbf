// @ts-check
/**
 * Keeps a page as it is in the daemon: it is asked for again when an event concerns it, and patched in place. Without this script
 * the page is complete, and stays as it was when it was loaded.
 */

/** The least time between two requests for the page, in milliseconds. */
const pauseMs = 700;

/** Events that pages which show everything ask again for at most this often, in milliseconds. */
const pauseOfAllMs = 2_000;

/** @type {readonly (readonly [string, number])[]} */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

const script = document.getElementById('live');
/** The newest event when the page was made. */
const after = Number(script?.dataset['after']);
/** @type {MessagePort | undefined} */
let port;
/**
 * How instants are shown, in the zone of the viewer. The first format that a page makes takes tens of milliseconds.
 * @type {Intl.DateTimeFormat | undefined}
 */
let clockFormat;
/** Whether a first frame was shown, before which nothing is done that can wait. */
let hasBegun = false;
let isStale = false;
let askedAt = 0;
/** @type {number | undefined} */
let timer;
/** @type {number | undefined} */
let typing;
/**
 * Ends the request for a page that is under way.
 * @type {AbortController | undefined}
 */
let loading;
/**
 * The texts of values until their nodes are patched.
 * @type {WeakMap<HTMLElement, string>}
 */
const textsBefore = new WeakMap();
/**
 * The rows that the last patch has given to something else.
 * @type {WeakSet<HTMLTableRowElement>}
 */
const movedRows = new WeakSet();

localTimes(document);
enhance(document);
setInterval(() => localTimes(document), 10_000);
view();
document.addEventListener('visibilitychange', view);
requestAnimationFrame(() => setTimeout(begin));

/** Does what can wait until a first frame is shown. */
function begin() {
  hasBegun = true;
  localTimes(document);
  if (main()?.dataset['live'] !== undefined) connect();
}

/** @returns {HTMLElement | null} */
function main() {
  return document.getElementById('main');
}

/** Connects to the worker that holds the stream for all tabs; to a stream of its own where the browser has no such workers. */
function connect() {
  const url = new URL('v1/events', document.baseURI).href;
  if (typeof SharedWorker === 'undefined') return connectAlone(url);
  const worker = new SharedWorker(new URL(script?.dataset['events'] ?? '', document.baseURI));
  port = worker.port;
  port.addEventListener('message', ({ data }) => take(data));
  port.start();
  port.postMessage({ url, after, visible: !document.hidden });
  document.addEventListener('visibilitychange', () => {
    port?.postMessage({ visible: !document.hidden });
    // What came while the page was hidden was not heard.
    if (!document.hidden) stale();
  });
  addEventListener('pagehide', () => port?.postMessage({ gone: true }));
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    port?.postMessage({ visible: !document.hidden });
    stale();
  });
}

/** @param {string} url */
function connectAlone(url) {
  /** @type {EventSource | undefined} */
  let stream;
  const follow = () => {
    stream?.close();
    if (document.hidden) return;
    stream = new EventSource(`${url}?after=${after}`);
    stream.addEventListener('open', () => take({ state: 'open' }));
    stream.addEventListener('error', () => {
      take({ state: 'lost' });
      // A stream that was refused is not tried again by the browser.
      if (stream?.readyState === EventSource.CLOSED) setTimeout(follow, 5_000);
    });
    stream.addEventListener('reset', () => take({ state: 'reset' }));
    stream.addEventListener('message', ({ data }) => take({ event: JSON.parse(data) }));
  };
  document.addEventListener('visibilitychange', () => {
    follow();
    if (!document.hidden) stale();
  });
  follow();
}

/** @param {{ state?: 'open' | 'lost' | 'reset', event?: { projects?: string[], source?: string } }} message */
function take({ state, event }) {
  const notice = document.getElementById('connection');
  if (state === 'open') {
    if (notice?.hidden === false) stale();
    if (notice) notice.hidden = true;
  } else if (state === 'lost') {
    if (notice) {
      notice.textContent = 'The daemon does not answer. What is shown may be old.';
      notice.hidden = false;
    }
    // Who is logged out elsewhere is led to the log-in by that.
    stale();
  } else if (state === 'reset') {
    stale();
  }
  if (event !== undefined && concerns(event)) stale();
}

/** @param {{ projects?: string[], source?: string }} event */
function concerns({ projects, source }) {
  const { live, liveId = '' } = main()?.dataset ?? {};
  if (live === 'all') return true;
  return live === 'project' ? projects?.includes(liveId) === true : live === 'source' && source === liveId;
}

/** Has the page asked for again, after a pause where that was done just now. */
function stale() {
  isStale = true;
  if (timer !== undefined || document.hidden) return;
  const pause = main()?.dataset['live'] === 'all' ? pauseOfAllMs : pauseMs;
  timer = setTimeout(refresh, Math.max(50, askedAt + pause - Date.now()));
}

async function refresh() {
  timer = undefined;
  // A form that a person fills in is not taken away.
  if (!isStale || isBusy()) return;
  isStale = false;
  askedAt = Date.now();
  await load(location.href);
  if (isStale) stale();
}

function isBusy() {
  const at = document.activeElement;
  return (
    at instanceof HTMLElement && at.matches('main input, main textarea, main select') && at.closest('.search') === null
  );
}

addEventListener('focusout', () => {
  if (isStale) stale();
});

/**
 * Asks for a page and puts it in the place of the one that is shown. An answer that comes after a later call is dropped.
 * @param {string} address
 */
async function load(address) {
  loading?.abort();
  loading = new AbortController();
  const { signal } = loading;
  const answer = await fetch(address, { signal }).catch(() => undefined);
  if (answer?.status === 401) return location.reload();
  if (answer === undefined || !answer.ok) return;
  const text = await answer.text().catch(() => undefined);
  if (text === undefined || signal.aborted) return;
  const page = new DOMParser().parseFromString(text, 'text/html');
  const next = page.getElementById('main');
  const shown = main();
  if (next === null || shown === null) return;
  localTimes(page);
  enhance(page);
  keepMarks(next);
  document.title = page.title;
  await Idiomorph.morph(shown, next, {
    callbacks: { beforeNodeMorphed: keep, afterNodeMorphed: mark },
  });
  view();
  await drawCharts();
}

/** Notes the changes of a project as viewed once its page is looked at, as the form beside does. */
function view() {
  const noted = document.getElementById('unviewed');
  if (noted === null || document.hidden) return;
  const { project, upTo } = noted.dataset;
  noted.remove();
  fetch(new URL('v1/viewings', document.baseURI), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ids: [project], upTo: Number(upTo) }),
    // Also where the page is left at once.
    keepalive: true,
  }).catch(() => undefined);
}

/**
 * Keeps the marks of changes that were unviewed when the page was opened, which it has noted as viewed since.
 * @param {HTMLElement} next
 */
function keepMarks(next) {
  for (const mark of document.querySelectorAll('#changes .unviewed')) {
    const address = mark.closest('tr')?.querySelector('a')?.getAttribute('href') ?? '';
    const row = next.querySelector(`#changes a[href="${CSS.escape(address)}"]`)?.closest('tr');
    const cell = row?.cells[mark.closest('td')?.cellIndex ?? 0];
    if (cell?.querySelector('.unviewed') === null) cell.append(mark.cloneNode(true));
  }
}

/**
 * Keeps what a person has opened, chosen or typed, and charts that are drawn.
 * @param {Node} before
 * @param {Node} after
 */
function keep(before, after) {
  if (before instanceof HTMLInputElement && after instanceof HTMLInputElement) {
    const isTyped = before.value !== before.defaultValue || before === document.activeElement;
    if (before.type === 'checkbox') after.checked = before.checked;
    else if (isTyped && before.name === after.name) return false;
  }
  if (before instanceof HTMLSelectElement && after instanceof HTMLSelectElement && before.name === after.name)
    after.value = before.value;
  if (before instanceof HTMLDetailsElement && after instanceof HTMLDetailsElement && before.open) after.open = true;
  if (!(before instanceof HTMLElement) || !(after instanceof HTMLElement)) return true;
  note(before, after);
  if (before.dataset['drawn'] === undefined) return true;
  // A chart that is drawn takes the new figures by itself.
  before.dataset['chart'] = after.dataset['chart'];
  before.dataset['until'] = after.dataset['until'];
  before.dispatchEvent(new Event('figures'));
  return false;
}

/**
 * Notes the text of a value before it is patched, but for one in a row that is about something else from now on.
 * @param {HTMLElement} before
 * @param {HTMLElement} after
 */
function note(before, after) {
  if (before instanceof HTMLTableRowElement && after instanceof HTMLTableRowElement) {
    if (subjectOf(before) === subjectOf(after)) movedRows.delete(before);
    else movedRows.add(before);
  }
  if (!before.matches('.figure, td .number, td bdi')) return;
  const row = before.closest('tr');
  if (row === null || !movedRows.has(row)) textsBefore.set(before, before.textContent);
  // A highlight goes on while the page is patched again.
  if (before.classList.contains('fresh-value')) after.classList.add('fresh-value');
}

/**
 * The text of the first cell that has one, which names what a row is about.
 * @param {HTMLTableRowElement} row
 */
function subjectOf({ cells }) {
  for (const { textContent } of cells) if (textContent.trim() !== '') return textContent.trim();
  return '';
}

/**
 * Highlights a value whose text has changed, for a moment.
 * @param {Node} node
 */
function mark(node) {
  if (!(node instanceof HTMLElement)) return;
  const before = textsBefore.get(node);
  textsBefore.delete(node);
  if (before === undefined || before === node.textContent) return;
  node.classList.remove('fresh-value');
  void node.offsetWidth;
  node.classList.add('fresh-value');
}

addEventListener('animationend', ({ target }) => {
  if (target instanceof HTMLElement) target.classList.remove('fresh-value');
});

/**
 * Shows instants by the clock of the viewer's zone, and ages as they are now.
 * @param {Document} page
 */
function localTimes(page) {
  for (const time of page.querySelectorAll('time[data-form]')) {
    if (!(time instanceof HTMLTimeElement) && time.localName !== 'time') continue;
    const at = new Date(time.getAttribute('datetime') ?? '');
    if (Number.isNaN(at.getTime())) continue;
    const form = time.getAttribute('data-form');
    if (hasBegun) time.setAttribute('title', clockText(at));
    const text =
      form === 'clock' ? clockText(at) : form === 'due' && at.getTime() <= Date.now() ? 'due' : ageText(at.getTime());
    if (time.textContent !== text) time.textContent = text;
  }
}

/** @param {Date} at */
function clockText(at) {
  clockFormat ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  return clockFormat.format(at);
}

/** @param {number} at */
function ageText(at) {
  const ms = Math.abs(Date.now() - at);
  if (ms < 1_000) return 'now';
  const index = units.findIndex(([, unitMs]) => ms >= unitMs);
  const [name = 's', unitMs = 1_000] = units[index] ?? [];
  const [nextName = '', nextMs = 1] = units[index + 1] ?? [];
  const count = Math.floor(ms / unitMs);
  const rest = nextName === '' || count >= 10 ? 0 : Math.floor((ms - count * unitMs) / nextMs);
  const text = rest > 0 ? `${count}${name} ${rest}${nextName}` : `${count}${name}`;
  return at < Date.now() ? `${text} ago` : `in ${text}`;
}

/**
 * Shows what only works with scripts.
 * @param {Document} page
 */
function enhance(page) {
  for (const button of page.querySelectorAll('button.scripted')) button.removeAttribute('hidden');
}

addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button.copy') : null;
  if (!(button instanceof HTMLElement)) return;
  navigator.clipboard.writeText(commandOf(button)).then(
    () => (button.textContent = 'Copied'),
    () => (button.textContent = 'Not copied'),
  );
});

/**
 * The command that does the same as the form of a button, as it is filled in.
 * @param {HTMLElement} button
 * @returns {string}
 */
function commandOf(button) {
  const { copy = '', words } = button.dataset;
  const form = button.closest('form');
  if (words === undefined || form === null) return copy;
  /** @type {(string | { input: string, option?: string, empty?: string })[]} */
  const parts = JSON.parse(words);
  const texts = parts.flatMap((part) => {
    if (typeof part === 'string') return part;
    const { input, option, empty } = part;
    const given = givenIn(form, input);
    const text = given === '' ? empty : given;
    if (text === undefined) return [];
    return option === undefined ? text : [option, text];
  });
  return texts.map(shellText).join(' ');
}

/**
 * What a person has written or chosen; of a choice, what stands for it in commands.
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function givenIn(form, name) {
  const input = form.elements.namedItem(name);
  if (input instanceof HTMLSelectElement) return input.selectedOptions[0]?.dataset['cli'] ?? input.value;
  return input instanceof HTMLInputElement ? input.value.trim() : '';
}

/**
 * A text as one word of a shell's command line, as the server quotes it.
 * @param {string} text
 */
function shellText(text) {
  const plain = text.replaceAll(/\p{Cc}+|[\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();
  return /^[\w@%+=:,./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", String.raw`'\''`)}'`;
}

// A search is shown as it is typed.
addEventListener('input', ({ target }) => {
  const form = target instanceof HTMLInputElement ? target.closest('form.search') : null;
  if (!(form instanceof HTMLFormElement) || !location.pathname.endsWith('/projects')) return;
  clearTimeout(typing);
  typing = setTimeout(() => {
    const address = new URL(form.action);
    const text = new FormData(form).get('q');
    if (typeof text === 'string' && text !== '') address.searchParams.set('q', text);
    history.replaceState(undefined, '', address);
    void load(address.href);
  }, 120);
});
// Keys: `/` to search, `?` for help, `g` and the key of a section to go there.
let isGoing = false;
addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) return;
  if (target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')) return;
  if (key === '/') {
    event.preventDefault();
    const input = document.querySelector('.search input');
    if (!(input instanceof HTMLInputElement)) return;
    input.focus();
    input.select();
  } else if (key === '?') {
    document.getElementById('keys')?.togglePopover();
  } else if (isGoing) {
    isGoing = false;
    for (const link of document.querySelectorAll('.sections a'))
      if (link instanceof HTMLAnchorElement && link.dataset['key'] === key) return link.click();
  } else if (key === 'g') {
    isGoing = true;
    setTimeout(() => (isGoing = false), 1_500);
  }
});

void drawCharts();

async function drawCharts() {
  if (document.querySelector('[data-chart]:not([data-drawn])') === null) return;
  const { draw } = await import(new URL('assets/chart.js', document.baseURI).href);
  await draw();
}
