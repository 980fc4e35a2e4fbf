import * as z from 'zod';
import { charsetNamed } from '../../schema/charset.ts';
import { checkedText } from '../../schema/checked-text.ts';
import { expected } from '../../schema/expected.ts';
import { strict } from '../../schema/strict.ts';
import type { PlacePlan, RecordPlan } from '../rule/plan.ts';
import type { Spot } from '../rule/spot.ts';
import { selectorFault } from '../tree/selector.ts';

/**
 * One kind of document that a source may be made of. `all.ts` lists the kinds: what definitions may name as `provider`, how bodies
 * are recognised and opened, what rules see in them, and the table of documents in `docs/definitions.md` are made from that list.
 */
export interface DocumentKind {
  /** A phrase for people: `an HTML page`. */
  readonly title: string;
  /** What rules see: a tree of HTML or of XML elements, in which they find selectors and XPaths, or a value, in which they find JSON paths. */
  readonly view: 'html' | 'xml' | 'json';
  readonly media: MediaForm;
  /** Marks of which each may begin one part of the document. A body with more of them than a thread could hold is not parsed. */
  marks(options: DocumentOptions): readonly string[];
  /** The work of decoding and parsing a body at worst, for each of its bytes and each of its marks. */
  readonly steps: { readonly byte: number; readonly mark: number };
  /** Parses the text of a body; `url` is the body's address. */
  open(text: string, options: DocumentOptions, url: string): OpenedDocument | Promise<OpenedDocument>;
  /** Where records stand if the definition does not say. Default: the whole document is one record. */
  readonly each?: PlacePlan;
  /** The record of documents of this kind for definitions that declare none. */
  readonly record?: RecordPlan;
  /** The row of the kind in the table of `docs/definitions.md`, in Markdown. */
  readonly docs: { readonly readAs: string; readonly places: string };
}

const Csv = strict({
  /** One character. Default: the one of comma, semicolon, tab and bar that parts the first line best. */
  delimiter: z.string().length(1).exactOptional(),
  /** Whether the first line names the columns (the default); `false` counts them from 1; a list names them where no line does. */
  header: z.union([z.boolean(), z.array(z.string().min(1).max(200)).min(1).max(1_000)]).exactOptional(),
});

/** How a table is written. */
export interface CsvOptions extends Pick<z.infer<typeof Csv>, 'delimiter'> {
  readonly header?: boolean | readonly string[];
}

/** The keys of a definition that say how its documents are opened. Extraction threads import the types of this file alone, and no schema. */
export const documentKeys = {
  /** `fast` reads markup as it is written; `browser` builds the tree that a browser would, and takes several times as long. */
  tree: z.enum(['fast', 'browser']).default('fast'),
  /** How a table of `provider: csv` is written. */
  csv: Csv.exactOptional(),
  /** The charset of its pages, whatever they or the server say; a mark of byte order alone says more. */
  encoding: z
    .string()
    .refine((label) => charsetNamed(label) !== undefined, expected('a charset like "windows-1251"'))
    .exactOptional(),
  /** CSS selectors of elements that are taken out of each page before any rule sees it, with all that they hold. */
  ignore: z
    .array(checkedText(z, 'a CSS selector', selectorFault))
    .min(1)
    .max(50)
    .exactOptional(),
};

/** How a document is opened. */
export interface DocumentOptions {
  readonly tree?: z.infer<typeof documentKeys.tree>;
  readonly csv?: CsvOptions;
  readonly encoding?: string;
  readonly ignore?: readonly string[];
}

/** A parsed body, or what is wrong with it. */
export type OpenedDocument =
  | {
      readonly ok: true;
      /** Where rules begin. */
      readonly root: Spot;
      /** The base of relative addresses. Default: the body's own address. */
      readonly base?: string;
      /** Whether elements name a base of their own for the addresses in them, by `xml:base`. */
      readonly hasBases?: boolean;
      /** Whether it is a list without any item, for which no record is no failure. */
      readonly isEmptyList?: boolean;
      /** The element of HTML in which the document ends, though its end tag may not be left out. */
      readonly endsIn?: string;
    }
  | { readonly ok: false; readonly message: string };

/** How a body is recognised as a document of its kind. */
export interface MediaForm {
  /** The media types of such documents. */
  readonly called: RegExp;
  /** Media types that servers give such documents by mistake; the content decides then. */
  readonly miscalled?: RegExp;
  /** How such a document begins. */
  readonly begins: RegExp;
  /** A phrase for a body without a media type that does not begin so. */
  readonly otherwise: string;
}
