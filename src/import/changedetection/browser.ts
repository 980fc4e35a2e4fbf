import type { Book } from '../book.ts';
import { selectorFault } from '../../extract/tree/selector.ts';
import { hasTemplate } from '../request.ts';
import type { Application, Watch } from './schema.ts';

/** The keys of a definition that say how its page is rendered, and the elements that are taken out of it. */
export interface BrowserKeys {
  readonly render?: unknown;
  readonly ignore: readonly string[];
}

/** The longest wait of one action, in seconds, and the most actions. */
const [longestWait, mostActions] = [60, 20];

type Step = NonNullable<Watch['browser_steps']>[number];

/** Translates the browser of a watch and what it does with the page. */
export function browserKeys(
  book: Book,
  label: string,
  watch: Watch,
  { fetch_backend: usual }: Application,
): BrowserKeys {
  const backend = watch.fetch_backend === 'system' || !watch.fetch_backend ? (usual ?? '') : watch.fetch_backend;
  const steps = (watch.browser_steps ?? []).filter(
    ({ operation }) => operation !== null && !['', 'Choose one', 'Goto site'].includes(operation),
  );
  if (!/webdriver|playwright|puppeteer|selenium|browser/.test(backend)) {
    if (steps.length > 0)
      book.leave(label, 'its browser steps', 'it is not fetched by a browser, which does none of them there either');
    return { ignore: [] };
  }
  if (backend.startsWith('extra_browser_'))
    book.leave(label, 'its own browser', 'the Chromium of this machine renders it');
  const ignore: string[] = [];
  const actions: object[] = [];
  const delay = watch.webdriver_delay ?? 0;
  if (delay > 0) actions.push({ wait: `${Math.min(Math.ceil(delay), longestWait)}s` });
  for (const step of steps) {
    const done = actionOf(step, actions.at(-1));
    if (typeof done === 'string') book.leave(label, `the browser step "${shown(step.operation)}"`, done);
    else if ('ignore' in done) ignore.push(done.ignore);
    else if ('replaces' in done) actions.splice(-1, 1, done.replaces);
    else actions.push(done.action);
  }
  if (actions.length > mostActions)
    book.leave(label, `browser steps after the first ${mostActions}`, 'a page has no more actions');
  if (watch.webdriver_js_execute_code)
    book.leave(
      label,
      'its JavaScript',
      'definitions run no scripts: `render: { do: … }` clicks, types, scrolls and waits',
    );
  const kept = actions.slice(0, mostActions);
  return { render: kept.length === 0 ? 'browser' : { in: 'browser', do: kept }, ignore };
}

type Done = { readonly action: object } | { readonly replaces: object } | { readonly ignore: string };

/** What a step becomes, or why it becomes nothing. */
function actionOf({ operation, selector, optional_value: value }: Step, last: object | undefined): Done | string {
  const css = (selector ?? '').trim();
  const fault =
    css === ''
      ? 'it names no element'
      : /^(?:\/|\(|xpath=)/.test(css)
        ? 'its element is an XPath: actions have CSS selectors'
        : selectorFault(css);
  const onElement = (action: object): Done | string => (fault === undefined ? { action } : fault);
  switch (operation) {
    case 'Click element':
    case 'Check checkbox':
    case 'Uncheck checkbox':
      return onElement({ click: css });
    case 'Click element if exists':
      return onElement({ click: css, optional: true });
    case 'Enter text in field':
      if (hasTemplate(value) || /[{}]/.test(value)) return 'its text has braces, which stand for parameters';
      if (/passw|pwd/i.test(css)) return 'no password is typed: `auth` in the definition logs in';
      return onElement({ type: value, into: css });
    case 'Press Enter':
      return last !== undefined && 'type' in last && 'into' in last
        ? { replaces: { ...last, type: `${String(last.type)}\n` } }
        : 'it follows no text, and only a text ends in Enter';
    case 'Wait for seconds': {
      const seconds = Math.ceil(Number(value));
      return seconds > 0 ? { action: { wait: `${Math.min(seconds, longestWait)}s` } } : 'it waits for no time';
    }
    case 'Wait for text':
    case 'Wait for text in element':
    case 'Click element containing text':
    case 'Click element containing text if exists':
      return 'actions find elements by CSS selectors, which know no texts';
    case 'Scroll down':
      return { action: { scroll: 'end' } };
    case 'Remove elements':
      return fault === undefined ? { ignore: css } : fault;
    default:
      return 'no action does this';
  }
}

function shown(operation: Step['operation']): string {
  return (operation ?? '').replaceAll(/\p{Cc}+/gu, ' ').slice(0, 60);
}
