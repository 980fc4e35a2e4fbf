import { isTime, waitMs } from '../definition/render.ts';
import type { Source } from '../definition/source.ts';
import { addressParts } from '../definition/target-address.ts';
import { fillText, parametersIn } from '../definition/url-pattern.ts';
import type { Step, StepFailure } from '../engine/step.ts';
import type { RenderAction } from '../fetch/action.ts';

type Action = Extract<Source['render'], object>['do'][number];

/** How pages are rendered; empty if they are not. */
interface Rendering {
  readonly render?: NonNullable<Step['render']>;
}

/** The times that a definition leaves out. */
const usualTimes = { scroll: 20, click: 1 } as const;

/**
 * How the pages of a target are rendered, with its parameters in the texts that are typed; nothing where they are not rendered.
 * Returns a failure where the target's address has not the parameters.
 */
export function renderingOf(source: Source, address: string): Rendering | StepFailure {
  const { render } = source;
  if (render === 'http') return {};
  const { params } = addressParts(source, address);
  const actions: RenderAction[] = [];
  for (const [index, action] of render.do.entries()) {
    const made = actionOf(index + 1, action, params);
    if ('code' in made) return made;
    actions.push(made);
  }
  return { render: { actions } };
}

/** The rendering of the page to which the first `acted` actions have led: the other actions are done there. */
export function renderingAfter({ render }: Rendering, acted: number): Rendering {
  return render === undefined ? {} : { render: { actions: render.actions.slice(acted) } };
}

function actionOf(
  number: number,
  action: Action,
  params: Readonly<Record<string, string>>,
): RenderAction | StepFailure {
  const { wait, scroll, click, type, into: css = '', times, within: withinMs, optional } = action;
  const common = { number, withinMs, optional };
  if (wait !== undefined && isTime(wait)) return { ...common, name: `wait ${wait}`, kind: 'pause', ms: waitMs(wait) };
  if (wait !== undefined) return { ...common, name: `wait ${wait}`, kind: 'wait', css: wait };
  if (scroll !== undefined) {
    const place = scroll === 'end' ? {} : { css: scroll };
    return { ...common, name: `scroll ${scroll}`, kind: 'scroll', ...place, times: times ?? usualTimes.scroll };
  }
  if (click !== undefined)
    return { ...common, name: `click ${click}`, kind: 'click', css: click, times: times ?? usualTimes.click };
  const name = `type into ${css}`;
  const text = type ?? '';
  if (parametersIn(text).every((each) => Object.hasOwn(params, each)))
    return { ...common, name, kind: 'type', css, text: fillText(text, params) };
  const message = `action ${number} in the browser, "${name}": expected an address that the source's url makes, as parameters of it are typed`;
  return { code: 'action_failed', message };
}
