import { nearName } from '../../schema/near-name.ts';
import { folded } from '../../store/project-index.ts';
import { ControlError } from '../error.ts';

/** What a project may be asked to be. */
export const states = ['active', 'finished', 'archived', 'late', 'parked', 'ticket', 'held'] as const;
export type State = (typeof states)[number];

/** What a query wants: projects of which all of it holds. */
export interface SearchQuery {
  /** Parts of its text, folded. */
  readonly words: readonly string[];
  readonly sources: readonly string[];
  readonly labels: readonly string[];
  readonly states: readonly State[];
  /** Whether only projects are wanted with changes that the caller has not viewed. */
  readonly isUnviewed: boolean;
}

const filters = ['source', 'state', 'label', 'changes'] as const;

/** The most words and filters of a query. */
const mostTerms = 32;

/** A word, a text in quotes, or either behind `name:`. An address is a word. In quotes, `\"` is a quotation mark and `\\` a backslash. */
const term = /(?:([a-z]+):(?!\/\/))?(?:"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"|([^\s"]+)|(?=\s|$))/gy;

/** Reads a query such as `source:shop state:late lamp`. Throws a `ControlError` `invalid_params` that says what is wrong with it. */
export function readQuery(text: string): SearchQuery {
  const query = { words: new Array<string>(), sources: new Array<string>(), labels: new Array<string>() };
  const wanted = new Array<State>();
  let isUnviewed = false;
  for (const [given, name, quoted, plain] of termsOf(text)) {
    const value = quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain ?? '';
    if (name !== undefined && value === '') throw invalid(`expected a value behind "${given}"`);
    switch (name) {
      case undefined:
        if (value !== '') query.words.push(folded(value));
        break;
      case 'source':
        query.sources.push(value);
        break;
      case 'label':
        query.labels.push(value);
        break;
      case 'state':
        wanted.push(stateOf(value));
        break;
      case 'changes':
        if (value !== 'unviewed') throw invalid(`expected "changes:unviewed", got "changes:${value}"`);
        isUnviewed = true;
        break;
      default:
        throw invalid(
          `unknown filter "${name}"${meant(name, filters)}, expected ${filters.join(', ')}, or quotes around a word with a colon`,
        );
    }
  }
  return { ...query, states: wanted, isUnviewed };
}

function termsOf(text: string): RegExpExecArray[] {
  const terms: RegExpExecArray[] = [];
  const rest = text.trim();
  let at = 0;
  while (at < rest.length) {
    term.lastIndex = at;
    const found = term.exec(rest);
    if (found === null) throw invalid('expected a quotation mark at the end');
    terms.push(found);
    if (terms.length > mostTerms) throw invalid(`expected at most ${mostTerms} words and filters`);
    at = term.lastIndex;
    while (rest[at]?.trim() === '') at += 1;
  }
  return terms;
}

function stateOf(value: string): State {
  const state = states.find((each) => each === value);
  if (state === undefined)
    throw invalid(`unknown state "${value}"${meant(value, states)}, expected one of ${states.join(', ')}`);
  return state;
}

function meant(name: string, known: readonly string[]): string {
  const near = nearName(name, known);
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
}

function invalid(message: string): ControlError {
  return new ControlError('invalid_params', `project.search: query: ${message}`, {
    issues: [{ path: 'query', message }],
  });
}
