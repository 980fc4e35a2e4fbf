import type { HtmlEscapedString } from 'hono/utils/html';
import type { Method, MethodInput, Result } from '../../control/methods.ts';

/** A piece of HTML, in which all that came from elsewhere is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Who looks at a page. */
export interface Viewer {
  /** The label of the token. */
  readonly label: string;
  /** Whether the viewer may use a method, for some parameters at least: decided by what refuses calls. */
  can(method: Method): boolean;
}

/** What came of an action that led to this page. */
export interface Outcome {
  readonly text: string;
  readonly isError: boolean;
  /** The method that the form has called. */
  readonly method: Method;
  /** The result of the method, for people who want to see all of it. */
  readonly result?: unknown;
  /** The fields of the form, so that the page can show what a person has typed again; missing where they are long. */
  readonly given?: URLSearchParams;
}

/** A request for a page, with what its view may use. */
export interface ViewContext {
  readonly viewer: Viewer;
  /** The wall time, in milliseconds since 1970. */
  readonly now: number;
  /** The address of the page within the dashboard, without a leading slash, such as `projects/solar?type=offer`. */
  readonly at: string;
  readonly query: URLSearchParams;
  /** The newest event before the page is made: what it shows has all up to it. */
  readonly lastEvent: number;
  /** What came of the action that led here, with the name that stands in the address as `outcome`. */
  readonly outcome?: Outcome & { readonly name: string };
  /** Calls a control method as the viewer. Rejects where that may not be, as for any other caller. */
  call<M extends Method>(method: M, params: MethodInput<M>): Promise<Result<M>>;
  /**
   * Calls a method that looks at all targets or at many events, as `call` does, but waits for it no longer than a moment: resolves with the answer of now or one of the
   * last five minutes, and with nothing while it is still to be found.
   */
  count<M extends Method>(method: M, params: MethodInput<M>): Promise<Result<M> | undefined>;
  /** Returns the name of a project; its id where it is gone, or where the viewer may not see it. */
  projectName(id: string): Promise<string>;
  /** Returns the part of the path that the view's pattern names. */
  place(name: string): string;
}

/** The events that change what a page shows: all, those of a project or of a source, or none. */
export type Live = 'all' | { readonly project: string } | { readonly source: string };

/** A page as its view makes it. */
export interface Page {
  readonly title: string;
  /** What the page is about, shown as its heading; default: the title. */
  readonly heading?: Html;
  readonly body: Html;
  /** Missing where the page stays as it is. */
  readonly live?: Live;
  /** What is told of the action that led here. Default: what the action itself tells. */
  readonly outcome?: Outcome;
}

/** A page of a site, as `page.inspect` draws it: the document of a frame. */
export interface Frame {
  readonly html: string;
  /** Where a place that is chosen leads within the dashboard, with its number as `pick`. */
  readonly to: string;
}

/** A view: the pages at the paths of one pattern. */
export interface View {
  /** The path within the dashboard, such as `projects/:id`; empty for the start page. */
  readonly path: string;
  /** Makes a page, or the document of a frame. Rejects with a `ControlError` where there is nothing to show. */
  show(context: ViewContext): Promise<Page | Frame>;
}
