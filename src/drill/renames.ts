import { hash } from 'node:crypto';
import { type Element, isDocument } from 'domhandler';
import type { Mutation, Opened } from './mutation.ts';

/** The site shows the same, and says it in other markup: what a rule would have to follow. */
export const renames: readonly Mutation[] = [
  {
    name: 'class of the field renamed',
    causes: ['rule_lost', 'layout_moved'],
    keepsAll: true,
    apply: (opened) => renameAttribute(opened, 'class', (value) => value.replaceAll(/[\w-]+/g, (name) => `${name}-x`)),
  },
  {
    name: 'id of the field renamed',
    causes: ['rule_lost', 'layout_moved'],
    keepsAll: true,
    apply: (opened) => renameAttribute(opened, 'id', (value) => `${value}-${Math.floor(opened.random() * 1_000)}`),
  },
  {
    name: 'data attribute renamed',
    causes: ['rule_lost', 'layout_moved'],
    keepsAll: true,
    apply({ found, field: { attr }, $ }) {
      if (attr === undefined || !attr.startsWith('data-')) return false;
      found.each((_, node) => {
        const element = $(node);
        element.attr(`data-x${attr.slice(4)}`, element.attr(attr) ?? '').removeAttr(attr);
      });
      return undefined;
    },
  },
  {
    name: 'all classes made by a tool',
    causes: ['rule_lost', 'layout_moved'],
    keepsAll: true,
    apply({ $ }) {
      // The same class has the same name on all pages of a site.
      const hashed = (name: string): string => `c${hash('sha256', name, 'hex').slice(0, 6)}z`;
      let changed = 0;
      $('[class]').each((_, node) => {
        const element = $(node);
        element.attr('class', (element.attr('class') ?? '').replaceAll(/\S+/g, hashed));
        changed += 1;
      });
      return changed > 0 ? undefined : false;
    },
  },
  {
    name: 'tag of the field changed',
    causes: ['rule_lost', 'layout_moved'],
    keepsAll: true,
    apply({ $, found, field }) {
      if (found.length === 0 || field.css.startsWith('meta') || !/^\w+|[\s>+~]\w+/.test(field.css)) return false;
      found.each((_, node) => {
        const element = node as Element;
        const other = element.name === 'div' ? 'section' : 'div';
        const copy = $(`<${other}></${other}>`).attr({ ...element.attribs });
        $(element).replaceWith(copy.append($(element).contents()));
      });
      return undefined;
    },
  },
  {
    name: 'value wrapped in an element of its own',
    causes: ['rule_lost', 'layout_moved'],
    keepsAll: true,
    apply({ $, found, field }) {
      if (field.attr !== undefined || !/[>+~]/.test(field.css)) return false;
      found.each((_, node) => void $(node).wrap('<div class="value-box"></div>'));
      return found.length > 0 ? undefined : false;
    },
  },
  {
    name: 'field moved to the end of its record',
    causes: ['rule_lost', 'layout_moved'],
    keepsAll: true,
    apply({ $, found, items, field }) {
      if (found.length === 0 || !/[\s>+~]/.test(field.css.trim()) || field.css.startsWith('meta')) return false;
      items.each((_, item) => {
        const own = $(item).find(field.css.replace(/^:scope\s*>?\s*/, ''));
        if (own.length > 0)
          ($(item).is('body, html') || isDocument(item) ? $('body') : $(item)).append(
            $('<aside class="facts"></aside>').append(own),
          );
      });
      return undefined;
    },
  },
  {
    name: 'a sibling put in front',
    causes: ['rule_lost', 'layout_moved', 'wrong_page'],
    keepsAll: true,
    apply({ $, found, field }) {
      if (found.length === 0 || !/nth|first|last|\+/.test(field.css)) return false;
      found.each((_, node) => void $(node).before($(node).clone().text('new')));
      return undefined;
    },
  },
  {
    name: 'class of the records renamed',
    causes: ['rule_lost', 'layout_moved'],
    keepsAll: true,
    apply({ $, items }) {
      let changed = 0;
      items.each((_, node) => {
        const element = $(node);
        const value = element.attr('class');
        if (value === undefined) return;
        element.attr(
          'class',
          value.replaceAll(/[\w-]+/g, (name) => `${name}2`),
        );
        changed += 1;
      });
      return changed > 0 ? undefined : false;
    },
  },
  {
    name: 'records put into another list',
    causes: ['rule_lost', 'layout_moved'],
    keepsAll: true,
    apply({ $, items }) {
      if (items.length < 2) return false;
      items.each((_, node) => {
        const item = $(node);
        item.replaceWith($('<article class="card"></article>').append(item.contents()));
      });
      return undefined;
    },
  },
];

function renameAttribute(
  { $, found, field }: Opened,
  name: 'class' | 'id',
  renamed: (value: string) => string,
): void | false {
  if (!(name === 'class' ? /\.[\w-]|\[class/ : /#[\w-]/).test(field.css)) return false;
  let changed = 0;
  found.each((_, node) => {
    const element = $(node);
    const own = element.attr(name) === undefined ? element.closest(`[${name}]`) : element;
    const value = own.attr(name);
    if (value === undefined || own.attr('data-renamed') !== undefined) return;
    own.attr(name, renamed(value));
    changed += 1;
  });
  return changed > 0 ? undefined : false;
}
