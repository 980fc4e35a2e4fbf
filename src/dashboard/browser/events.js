// @ts-check
/**
 * A worker that all tabs of a browser share. It holds the one stream of events, hands each event to every tab, and closes the
 * stream while no tab is visible. Tabs send `{ url, after }` once, the address of the stream and the event after which they were made,
 * and `{ visible }` as that changes.
 */

/** @type {Map<MessagePort, boolean>} Whether each tab is visible. */
const tabs = new Map();
/** @type {EventSource | undefined} */
let stream;
let url = '';
/** The last event that was heard, or that the pages were made after. */
let last = 0;

addEventListener('connect', (event) => {
  const [port] = /** @type {MessageEvent} */ (event).ports;
  if (port === undefined) return;
  tabs.set(port, false);
  port.addEventListener('message', (/** @type {MessageEvent} */ { data }) => {
    if (typeof data.url === 'string') url = data.url;
    if (data.gone === true) tabs.delete(port);
    else if (typeof data.visible === 'boolean') tabs.set(port, data.visible);
    // What came between the making of the page and now went to the other tabs, or to none.
    if (typeof data.after === 'number') {
      if (last > data.after) port.postMessage({ state: 'reset' });
      else if (stream === undefined) last = data.after;
    }
    follow();
    if (stream?.readyState === EventSource.OPEN) port.postMessage({ state: 'open' });
  });
  port.start();
});

/** Opens the stream while a tab is visible, closes it while none is. */
function follow() {
  const isWanted = [...tabs.values()].some(Boolean);
  if (!isWanted) {
    stream?.close();
    stream = undefined;
    return;
  }
  if (stream !== undefined && stream.readyState !== EventSource.CLOSED) return;
  stream = new EventSource(`${url}?after=${last}`);
  stream.addEventListener('open', () => tell({ state: 'open' }));
  stream.addEventListener('error', () => {
    tell({ state: 'lost' });
    // A stream that was refused is not tried again by the browser.
    if (stream?.readyState === EventSource.CLOSED) setTimeout(follow, 5_000);
  });
  stream.addEventListener('message', ({ data, lastEventId }) => {
    last = Number(lastEventId);
    tell({ event: JSON.parse(data) });
  });
  stream.addEventListener('reset', (event) => {
    last = Number(event.lastEventId);
    tell({ state: 'reset' });
  });
}

/** @param {object} message */
function tell(message) {
  for (const port of tabs.keys()) port.postMessage(message);
}
