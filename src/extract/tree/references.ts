import { Tokenizer } from 'htmlparser2';
import { kept } from './kept.ts';

/** What may be a character reference in text, with all that decides whether it is one. */
export const textReference = /&[#a-z\d]+;?/gi;
/** What may be a character reference in the value of an attribute, with all that decides whether it is one. */
export const attributeReference = /&[#a-z\d]+[;=]?/gi;
/** Returns what a character reference in text stands for. */
export const decodedInText = kept((reference) => decoded(reference));
/** Returns what a character reference in the value of an attribute stands for. */
export const decodedInAttribute = kept((reference) => decoded(`<a b="${reference}"`));

let pieces = '';
let source = '';
const nothing = (): void => {};
const add = (start: number, end: number): void => {
  pieces += source.slice(start, end);
};
const addCode = (code: number): void => {
  pieces += String.fromCodePoint(code);
};
const tokenizer = new Tokenizer(
  {},
  {
    ontext: add,
    ontextentity: addCode,
    onattribdata: add,
    onattribentity: addCode,
    onattribend: nothing,
    onattribname: nothing,
    oncdata: nothing,
    onclosetag: nothing,
    oncomment: nothing,
    ondeclaration: nothing,
    onend: nothing,
    onopentagend: nothing,
    onopentagname: nothing,
    onprocessinginstruction: nothing,
    onselfclosingtag: nothing,
  },
);

/** Returns the text of a piece of markup, or the value of the attribute in it, with its character references decoded. */
export function decoded(markup: string): string {
  source = markup;
  pieces = '';
  tokenizer.reset();
  tokenizer.write(markup);
  tokenizer.end();
  const text = pieces;
  source = '';
  pieces = '';
  return text;
}
