import { kept } from './kept.ts';

/** What is known of an element by its name. */
export interface Tag {
  /** In small letters. */
  readonly name: string;
  /** The elements that a start of this one ends, if the innermost open one is among them. */
  readonly ends: ReadonlySet<string> | undefined;
  /** Whether it holds nothing and has no end tag. */
  readonly isVoid: boolean;
  /** Whether `/>` ends elements in it: so in `svg` and `math`, and not in the HTML within them. */
  readonly isForeign: boolean | undefined;
  /** How its text ends, which is not markup, in small letters. */
  readonly textEnd: string | undefined;
}

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const voidNames = setOf(
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr',
);
const foreignNames = setOf('math svg');
const htmlInForeignNames = setOf('mi mo mn ms mtext annotation-xml foreignobject desc title');

const [form, paragraph] = ['input option optgroup select button datalist textarea', 'p'] as const;
const endsByName: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    ...[
      ['tr', 'tr th td'],
      ['th', 'th'],
      ['td', 'thead th td'],
      ['body', 'head link script'],
      ['li', 'li'],
      ['option', 'option'],
      ['optgroup', 'optgroup option'],
    ],
    ...['select', 'input', 'output', 'button', 'datalist', 'textarea'].map((name) => [name, form]),
    ...['dd', 'dt'].map((name) => [name, 'dd dt']),
    ...['rt', 'rp'].map((name) => [name, 'rt rp']),
    ...['tbody', 'tfoot'].map((name) => [name, 'thead tbody']),
    ...(
      'p h1 h2 h3 h4 h5 h6 address article aside blockquote details div dl fieldset figcaption figure footer form ' +
      'header hr main nav ol pre section table ul'
    )
      .split(' ')
      .map((name) => [name, paragraph]),
  ].map(([name = '', ends = '']) => [name, setOf(ends)]),
);

/** Elements whose text is not markup; the last three are read so by the parser that this one follows. */
export const textEnds: ReadonlyMap<string, string> = new Map([
  ...['script', 'style', 'title', 'textarea', 'xmp'].map((name) => [name, `</${name}`] as const),
  ...([
    ['xitle', '</title'],
    ['xextarea', '</textarea'],
    ['tmp', '</xmp'],
  ] as const),
]);
/** The end of a title, whose text has character references. */
export const titleEnd = '</title';

function tagOf(name: string): Tag {
  return {
    name,
    ends: endsByName.get(name),
    isVoid: voidNames.has(name),
    isForeign: foreignNames.has(name) ? true : htmlInForeignNames.has(name) ? false : undefined,
    textEnd: textEnds.get(name),
  };
}

/** What is known of an element, by its name as it is written. */
export const tagNamed = kept((written) => tagOf(written.toLowerCase()));
/** The name of an attribute in small letters, by the name as it is written. */
export const attributeNamed = kept((written) => written.toLowerCase());
