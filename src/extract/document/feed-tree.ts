import { type Element, isTag, Text } from 'domhandler';
import { rawText } from '../tree/text.ts';
import { looksMarkedUp, textOfMarkup } from '../tree/plain.ts';
import { Vocabulary } from './vocabulary.ts';
import { XmlTree } from './xml.ts';

const titles: ReadonlySet<string> = new Set(['title', 'atom:title', 'dc:title', 'media:title']);
const items: ReadonlySet<string> = new Set(['item', 'entry']);

/** Builds the tree of a feed: names have the prefixes that are usual, whatever the feed calls them, and titles are text, however they are written. */
export class FeedTree extends XmlTree {
  /** The name of the first element, as feeds usually write it. */
  rootName: string | undefined;
  hasItems = false;
  /** One for each open element, the innermost last. */
  readonly #vocabularies: Vocabulary[] = [];

  override onopentag(name: string, attributes: Record<string, string>): void {
    const vocabulary = this.#vocabularies.at(-1)?.within(attributes) ?? Vocabulary.of(name, attributes);
    this.#vocabularies.push(vocabulary);
    const usual = vocabulary.elementNamed(name);
    this.rootName ??= usual;
    if (items.has(usual)) this.hasItems = true;
    for (const written in attributes) {
      const attribute = vocabulary.attributeNamed(written);
      if (attribute === written || Object.hasOwn(attributes, attribute)) continue;
      attributes[attribute] = attributes[written] ?? '';
      delete attributes[written];
    }
    super.onopentag(usual, attributes);
  }

  override onclosetag(): void {
    this.#vocabularies.pop();
    const element = this.tagStack.at(-1);
    if (element !== undefined && isTag(element) && titles.has(element.name)) this.#makeText(element);
    super.onclosetag();
  }

  #makeText(title: Element): void {
    if (title.children.some(isTag)) return;
    const written = rawText(title);
    const isAtom = this.rootName === 'feed' || this.rootName === 'entry' || title.name.startsWith('atom:');
    const text = titleText(written, title.attribs, isAtom);
    if (text === written) return;
    const node = new Text(text);
    node.parent = title;
    title.children = [node];
  }
}

/** Returns the text of a title by the type that it says to be of. RSS says none, and has text and markup alike. */
function titleText(written: string, { type, mode }: Readonly<Record<string, string>>, isAtom: boolean): string {
  const isEncoded = mode === 'base64' || type === 'application/octet-stream';
  const text = isEncoded ? Buffer.from(written, 'base64').toString() : written;
  const isMarkup = type === undefined ? !isAtom && looksMarkedUp(text) : /^(?:text\/)?html$/i.test(type);
  return isMarkup ? textOfMarkup(text) : text;
}
