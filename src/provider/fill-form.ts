import { hash } from 'node:crypto';
import { type FormControl, type FoundForm, listText } from '../extract/form.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { FormControls } from './provider.ts';

/** A form with its values, as it is sent. */
export interface FilledForm extends Pick<FetchRequest, 'method' | 'headers' | 'body'> {
  readonly ok: true;
  readonly url: string;
  readonly controls: FormControls;
  /** What hidden controls hold; it may be a token. */
  readonly hidden: readonly string[];
}

/**
 * Fills in a form and writes it as a browser would: by its method, and in its encoding, as UTF-8. A value takes the place of all that
 * the controls of its name hold. The failure says which control is missing, or does not offer the value.
 */
export function fillForm(
  { shown, action, method, enctype, controls }: FoundForm,
  values: Readonly<Record<string, string>>,
): FilledForm | { readonly ok: false; readonly message: string } {
  if (method === 'dialog') return { ok: false, message: `${shown} is a dialog of a script, which sends nothing` };
  const open = new Map(Object.entries(values));
  const pairs: [name: string, value: string][] = [];
  for (const { name, type, sent } of controls) {
    const given = type === 'button' ? undefined : values[name];
    if (given === undefined) pairs.push(...sent.map((value): [string, string] => [name, value]));
    else if (open.delete(name)) pairs.push([name, given]);
  }
  for (const [name, value] of Object.entries(values)) {
    const message = faultOf(controls, name, value);
    if (message !== undefined) return { ok: false, message: `${shown}: ${message}` };
  }
  const isHidden = ({ type, name }: FormControl): boolean => type === 'hidden' && values[name] === undefined;
  const preset = controls.filter(({ name, sent }) => sent.length > 0 && values[name] === undefined);
  return {
    ok: true,
    ...written(action, method, enctype, pairs),
    controls: { preset: [...new Set(preset.map(({ name }) => name))], given: Object.keys(values) },
    hidden: controls.filter(isHidden).flatMap(({ sent }) => sent),
  };
}

/** A sentence for a value that its control cannot have; `undefined` where it can. */
function faultOf(controls: readonly FormControl[], name: string, value: string): string | undefined {
  const known = controls.filter((control) => control.type !== 'button');
  const own = known.filter((control) => control.name === name);
  const names = [...new Set(known.map((control) => control.name))];
  if (own.length === 0) return `expected a control "${name}", got ${listText(names, 'none')}`;
  const offered = own.flatMap((control) => control.offered ?? []);
  const isOpen = own.some((control) => control.offered === undefined);
  if (isOpen || offered.includes(value)) return undefined;
  return `expected a value that "${name}" offers, one of ${listText(offered, 'none')}, got "${value}"`;
}

type Pairs = readonly (readonly [name: string, value: string])[];

function written(
  action: string,
  method: string,
  enctype: string,
  pairs: Pairs,
): Pick<FilledForm, 'url' | 'method' | 'headers' | 'body'> {
  const lines = pairs.map(([name, value]): [string, string] => [lineEnds(name), lineEnds(value)]);
  const query = (): string => new URLSearchParams(lines).toString();
  if (method !== 'post') {
    const url = new URL(action);
    url.search = query();
    return { url: url.href, method: 'GET' };
  }
  const sent = (type: string, text: string) =>
    ({ url: action, method: 'POST', headers: { 'content-type': type }, body: { text } }) as const;
  if (enctype === 'multipart/form-data') {
    const boundary = `form-${hash('sha256', JSON.stringify(lines), 'hex')}`;
    return sent(`${enctype}; boundary=${boundary}`, multipart(lines, boundary));
  }
  if (enctype === 'text/plain') return sent(enctype, lines.map(([name, value]) => `${name}=${value}\r\n`).join(''));
  return sent('application/x-www-form-urlencoded', query());
}

function multipart(pairs: Pairs, boundary: string): string {
  const quoted = (name: string): string => name.replaceAll('\r\n', '%0D%0A').replaceAll('"', '%22');
  const parts = pairs.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${boundary}--\r\n`;
}

/** A text with the line ends that forms have. */
function lineEnds(text: string): string {
  return text.replaceAll(/\r\n?|\n/g, '\r\n');
}
