import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sideBySide } from '../../src/view/side-by-side.ts';

/** A page of a list, of which every second item has a text of its own. */
function page(items: number, text: string): string {
  return `<ul>${Array.from({ length: items }, (_, at) => `<li>${at}</li><li>${text}${at}</li>`).join('')}</ul>`;
}

function kinds(items: number): ReadonlySet<string> {
  return new Set(sideBySide(page(items, 'a'), page(items, 'b')).map(({ kind }) => kind));
}

describe('two texts of markup side by side', () => {
  test('each line that went is paired with the one that came in its place, and equal lines far from both are left out', () => {
    const rows = sideBySide(
      '<ul><li>1</li><li>2</li><li>3</li><li>4</li><li>5</li></ul>',
      '<ul> <li>1</li> <li>2</li> <li>3</li> <li>four</li> <li>5</li> </ul>',
    );
    assert.deepEqual(rows, [
      { kind: 'left-out', lines: 2 },
      { kind: 'same', text: '<li>2</li>' },
      { kind: 'same', text: '<li>3</li>' },
      { kind: 'differs', older: '<li>4</li>', newer: '<li>four</li>' },
      { kind: 'same', text: '<li>5</li>' },
      { kind: 'same', text: '</ul>' },
    ]);
  });

  test('texts that are equal but for white space have no rows', () => {
    assert.deepEqual(sideBySide('<p>a</p><p>b</p>', '<p>a</p>\n\n  <p>b</p>\n'), []);
  });

  test('texts that differ in up to a thousand lines are aligned; in those of more all between the first and the last is replaced', () => {
    assert.deepEqual(kinds(500), new Set(['same', 'differs']));
    const rows = sideBySide(page(501, 'a'), page(501, 'b'));
    assert.deepEqual(
      rows.slice(2, -1).filter(({ kind }) => kind !== 'differs'),
      [],
    );
  });
});
