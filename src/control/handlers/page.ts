import { parse } from 'yaml';
import { defined } from '../../defined.ts';
import { addField } from '../../definition/add-field.ts';
import { yamlText, withPlace } from '../../definition/rule-place-text.ts';
import { checkDefinition, guardedIssues } from '../../definition/save-definition.ts';
import { shortPlace } from '../../definition/selector.ts';
import { typeIssues } from '../../definition/shared-type.ts';
import { type Source, strangerAt } from '../../definition/source.ts';
import { isMapping } from '../../schema/mapping.ts';
import type { Issue } from '../../schema/expected.ts';
import type { KeptPage } from '../../vault/entry.ts';
import type { DrawnPage } from '../../view/drawn-page.ts';
import { ControlError, invalidParam } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { AddedField, InspectedPage } from '../methods/page.ts';
import { findSource } from './find.ts';
import { keptPage } from './kept-page.ts';
import type { PeekedPages } from './peeked-pages.ts';
import type { Ports } from './ports.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'vault' | 'definitions' | 'sources'>;

/** The largest page that is drawn, in bytes. */
const mostBytes = 8 * 1024 * 1024;

/** Creates the handlers of kept pages as people look at them. */
export function pageHandlers(deps: Deps, peeked: PeekedPages): Pick<Handlers, 'page.inspect' | 'page.try'> {
  return {
    'page.inspect': async ({ digest, source: id, pick }, { signal }) => {
      const page = await pageOf(digest);
      const of = id ?? deps.store().targets.get(page.target)?.source;
      const loaded = of === undefined ? undefined : deps.catalogue().sources.get(of)?.source;
      if (id !== undefined && loaded === undefined) findSource(deps.catalogue(), id);
      const { drawn, found } = await deps.sources.draw(loaded ?? strangerAt(page.url), page, defined({ pick }), signal);
      return inspected(page, drawn, loaded && found);
    },

    'page.try': async ({ digest, source: id, text: given, add: [added] = [], pick }, { signal }) => {
      const page = await pageOf(digest);
      const file = await deps.definitions.definitionFile(id);
      const first = given ?? file?.text ?? (await draftOf(id, page, signal));
      const text = added === undefined ? first : withAdded(first, added);
      const checked = checkDefinition(text, file?.path ?? `${id}.yaml`, issuesOf);
      const source = checked.ok ? checked.source : strangerAt(page.url);
      const { drawn, found } = await deps.sources.draw(source, page, defined({ pick }), signal);
      return {
        ...inspected(page, drawn, checked.ok ? found : undefined),
        text,
        problems: checked.ok ? [] : checked.problems,
        ...defined({ base: file?.digest }),
      };
    },
  };

  async function pageOf(digest: string): Promise<KeptPage> {
    const page = peeked.find(digest) ?? (await keptPage(deps.vault.open(), digest));
    if (page.body.byteLength <= mostBytes) return page;
    throw new ControlError(
      'conflict',
      `page ${digest}: it has ${page.body.byteLength} bytes, and at most ${mostBytes} are shown`,
    );
  }

  async function draftOf(id: string, page: KeptPage, signal: AbortSignal): Promise<string> {
    const { drawn, found } = await deps.sources.draw(strangerAt(page.url), page, { draft: id }, signal);
    if (drawn?.draft !== undefined) return drawn.draft;
    throw new ControlError(
      'conflict',
      `no definition is drafted from the page: ${found.failure?.message ?? 'it took too long'}`,
    );
  }

  function issuesOf(source: Source): Issue[] {
    const { types, sources } = deps.catalogue();
    return [
      ...typeIssues(source, { types, broken: new Set() }),
      ...guardedIssues(source, sources.get(source.id)?.source),
    ];
  }
}

function inspected(
  { digest, url, observedAt }: KeptPage,
  drawn: DrawnPage | undefined,
  found: InspectedPage['found'],
): InspectedPage {
  const { html, isCut, picked } = drawn ?? { html: '<p>It takes too long to draw this page.</p>', isCut: true };
  const rules = picked?.rules.map((each) => ({ ...each, rule: yamlText(withPlace('', each.to)) }));
  return {
    digest,
    url,
    observedAt,
    html,
    isCut,
    ...defined({ found, picked: picked && rules && { ...picked, rules } }),
  };
}

function withAdded(text: string, { record, field, rule: written, type = 'text' }: AddedField): string {
  const rule = typed(readRule(written), type);
  const added = addField(text, { record, field, rule });
  if (added.ok) return added.text;
  throw invalidParam('add', added.message);
}

function readRule(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw invalidParam('add[0].rule', 'expected a rule as YAML', { cause: error });
  }
}

/** A rule with a type, unless it has one; a short form becomes a long one. */
function typed(rule: unknown, type: string): unknown {
  if (type === 'text') return rule;
  if (isMapping(rule)) return 'type' in rule ? rule : { ...rule, type };
  if (typeof rule !== 'string') return rule;
  return { ...shortPlace(rule), type };
}
