import { html } from 'hono/html';
import type { Method } from '../../control/methods.ts';
import { plainText, shellText } from '../../view/text.ts';
import type { Html, ViewContext } from './view.ts';

/** A word of a command that stands in an input of the form, behind its option where it has one. */
export interface InputWord {
  /** The name of the input. */
  readonly input: string;
  readonly option?: string;
  /** What the input has at first; default: nothing. */
  readonly value?: string;
  /** What stands in the command while the input is empty; default: nothing, and the option is left out as well. */
  readonly empty?: string;
}

/** An action on a page: a call of a method, as a form with one button. */
export interface Action {
  readonly method: Method;
  /** Parameters that are given; a list is sent item by item, anything else that is no text as JSON. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** What the button says. */
  readonly label: string | Html;
  /** The words of the command that does the same, behind `heronry`. */
  readonly cli: readonly (string | InputWord)[];
  /** What is told once it is done. */
  readonly done: string;
  /** Where to go then, within the dashboard, with `{id}` for the member `id` of the result; default: the page itself. */
  readonly leadsTo?: string;
  /** Inputs whose names are those of parameters, before the button. */
  readonly inputs?: Html;
  /** Asked before it is done, where it cannot be taken back. */
  readonly confirm?: string;
  readonly tone?: 'main' | 'danger';
}

/** A button of a form that has several, each for another method. */
export type ButtonAction = Pick<Action, 'method' | 'params' | 'label' | 'cli' | 'done' | 'leadsTo' | 'tone'>;

/** Shows an action as a form that works without scripts; nothing where the viewer may not do it. */
export function action({ viewer, at }: ViewContext, wanted: Action): Html | '' {
  const { method, params = {}, label, cli, done, leadsTo = at, inputs, confirm, tone } = wanted;
  if (!viewer.can(method)) return '';
  const form = html`<form class="action" method="post" action="act/${method}">
    <input type="hidden" name=".then" value="${leadsTo}" />
    <input type="hidden" name=".from" value="${at}" />
    <input type="hidden" name=".done" value="${done}" />
    ${hidden(params)} ${inputs ?? ''}
    <button class="${tone ?? ''}">${label}</button>
    ${copyCommand(cli)}
  </form>`;
  if (confirm === undefined) return form;
  // Without scripts nothing asks, so that the button itself has to be opened first.
  return html`<details class="confirm">
    <summary>${label}…</summary>
    <div>
      <p>${confirm}</p>
      ${form}
    </div>
  </details>`;
}

/** What a person has typed into a field of a form whose method was refused, so that the form shows it again; otherwise empty. */
export function typed({ outcome }: ViewContext, method: Method, field: string): string {
  return outcome?.isError === true && outcome.method === method ? (outcome.given?.get(field) ?? '') : '';
}

/**
 * Shows one form whose buttons send its inputs to several methods; the first one is that of the Enter key. A button that the viewer may not use is left
 * out, and so is the form where none is left. The parameters of a method stand in the address of its button, as fields would be sent to all.
 */
export function actions({ viewer, at }: ViewContext, inputs: Html, buttons: readonly ButtonAction[]): Html | '' {
  const allowed = buttons.filter(({ method }) => viewer.can(method));
  if (allowed.length === 0) return '';
  return html`<form class="action" method="post">
    ${inputs}
    ${allowed.map(({ method, params = {}, label, cli, done, leadsTo = at, tone }) => {
      const fields = new URLSearchParams({ '.then': leadsTo, '.from': at, '.done': done });
      for (const [name, text] of sentFields(params)) fields.append(name, text);
      return html`<button class="${tone ?? ''}" formaction="act/${method}?${fields.toString()}">${label}</button>
        ${copyCommand(cli)} `;
    })}
  </form>`;
}

/**
 * A button that copies the command which does the same as an action. A script shows it, as it does nothing without one, and puts what a person has
 * written into the command.
 */
function copyCommand(cli: readonly (string | InputWord)[]): Html {
  const words = ['heronry', ...cli];
  const command = words.flatMap(textsOf).map(shellText).join(' ');
  const isFilledIn = words.some((word) => typeof word !== 'string');
  return html`<button
    type="button"
    class="copy scripted"
    data-copy="${command}"
    ${isFilledIn ? html`data-words="${JSON.stringify(words.map(forScript))}"` : ''}
    title="${command}"
    aria-label="Copy as CLI: ${command}"
    hidden
  >
    CLI
  </button>`;
}

/** A word as the script has it, which looks itself for what the input has. */
function forScript(word: string | InputWord): string | InputWord {
  if (typeof word === 'string') return plainText(word);
  const { value: _, ...rest } = word;
  return rest;
}

/** A word of a command, and its option, before a person has written anything. */
function textsOf(word: string | InputWord): readonly string[] {
  if (typeof word === 'string') return [word];
  const { option, value = '', empty } = word;
  const text = value === '' ? empty : value;
  if (text === undefined) return [];
  return option === undefined ? [text] : [option, text];
}

function hidden(params: Readonly<Record<string, unknown>>): Html[] {
  return sentFields(params).map(([name, text]) => html`<input type="hidden" name="${name}" value="${text}" />`);
}

function sentFields(params: Readonly<Record<string, unknown>>): [name: string, text: string][] {
  return Object.entries(params).flatMap(([name, given]) =>
    (Array.isArray(given) ? given : [given]).map((each): [string, string] => [
      name,
      typeof each === 'string' ? each : JSON.stringify(each),
    ]),
  );
}
