import { html } from 'hono/html';
import { type PauseView, pausedWhat, pauseText } from '../../view/pause.ts';
import { action, type InputWord, typed } from './action.ts';
import { byOf } from './ticket-actions.ts';
import { orRefusal } from './refused.ts';
import { spanOptions } from './spans.ts';
import { table } from './table.ts';
import { foreign } from './text.ts';
import { age } from './time.ts';
import type { Html, ViewContext } from './view.ts';

/** What is paused or resumed: a source, a host, or everything where neither is given. */
interface Scope {
  readonly source?: string | undefined;
  readonly host?: string | undefined;
}

/** Shows what is paused, with what ends it. */
export function pauseTable(context: ViewContext, pauses: readonly PauseView[]): Html {
  return table(
    'Pauses',
    pauses,
    [
      ['What', (pause) => foreign(pausedWhat(pause))],
      ['Since', ({ since }) => age(since, context.now)],
      ['Why', (pause) => foreign(pauseText(pause, context.now))],
      ['', (pause) => resumeAction(context, pause)],
    ],
    'Nothing is paused.',
  );
}

/** Pauses a source or a host, or shows its own pause with what ends it. */
export async function ownPause(context: ViewContext, scope: Scope): Promise<Html | ''> {
  const status = await orRefusal(context.call('daemon.status', {}));
  const { pauses = [] } = status.ok ? status.result : {};
  const found = pauses.find(({ source, host }) => source === scope.source && host === scope.host);
  if (found === undefined) return pauseAction(context, 'Pause', scope);
  return html`${foreign(pauseText(found, context.now))} ${resumeAction(context, found)}`;
}

/** Ends a pause. */
function resumeAction(context: ViewContext, { source, host }: Scope): Html | '' {
  return action(context, {
    method: 'schedule.resume',
    params: { ...scopeOf({ source, host }), by: byOf(context.viewer) },
    label: 'Resume',
    done: 'What is due takes its turns again.',
    cli: ['resume', ...optionsOf({ source, host })],
  });
}

/**
 * Pauses something.
 *
 * @param named - an input in which a person names it; default: it is the scope.
 */
export function pauseAction(context: ViewContext, label: string, scope: Scope, named?: Html): Html | '' {
  const was = (field: string): string => typed(context, 'schedule.pause', field);
  // Several forms of a page may call the method: what was typed belongs to the one that names the same kind of thing.
  const isRefused = (['source', 'host'] as const).every((kind) => (was(kind) === '') === (scope[kind] === undefined));
  return action(context, {
    method: 'schedule.pause',
    params: { ...(named === undefined && scopeOf(scope)), by: byOf(context.viewer) },
    label,
    done: 'Paused: nothing is asked until it is resumed.',
    cli: [
      'pause',
      ...(named === undefined ? optionsOf(scope) : inputsOf(scope)),
      { option: '--for', input: 'forMs' },
      { option: '--reason', input: 'reason' },
    ],
    inputs: html`${named ?? ''}
      <label
        >For
        <select name="forMs">
          <option value="">until it is resumed</option>
          ${spanOptions(isRefused ? Number(was('forMs')) : undefined)}
        </select></label
      >
      <label
        >Reason <input name="reason" value="${isRefused ? was('reason') : ''}" maxlength="500" autocomplete="off"
      /></label>`,
    ...(scope.source === undefined &&
      scope.host === undefined && {
        confirm: 'No site is asked anything until it is resumed.',
        tone: 'danger' as const,
      }),
  });
}

/** The options whose values stand in an input of the form. */
function inputsOf(scope: Scope): InputWord[] {
  return (['source', 'host'] as const).flatMap((input) => {
    const value = scope[input];
    return value === undefined ? [] : { option: `--${input}`, input, value, empty: input.toUpperCase() };
  });
}

function scopeOf({ source, host }: Scope) {
  return { ...(source !== undefined && { source }), ...(host !== undefined && { host }) };
}

function optionsOf({ source, host }: Scope) {
  return [...(source === undefined ? [] : ['--source', source]), ...(host === undefined ? [] : ['--host', host])];
}
