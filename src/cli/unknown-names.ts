/** A field as the definitions declare it. */
interface Declared {
  readonly name: string;
  readonly type: string;
}

/** The members of values of a type, where these are the same of each. */
const membersOf: Readonly<Record<string, readonly string[]>> = {
  money: ['amount', 'currency', 'per', 'from'],
  quantity: ['amount', 'unit', 'count'],
};

/** Resolves with a sentence for each name in a condition on records that no declared field has, or no value of the field's type. Names in brackets are not looked at. */
export async function unknownNames(condition: string, declared: readonly Declared[]): Promise<string[]> {
  if (declared.length === 0) return [];
  const { didYouMean } = await import('../schema/near-name.ts');
  // Within `[?…]` an `@` is an element of a list.
  let bare = condition.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  for (let before = ''; before !== bare;) [before, bare] = [bare, bare.replaceAll(/\[[^[\]]*\]/g, '#')];
  const names = new Set(declared.map((field) => field.name));
  const told = [...bare.matchAll(/@\.(\w+)(?:\.(\w+))?/g)].flatMap(([, name = '', member]) => {
    const fields = declared.filter((field) => field.name === name);
    if (fields.length === 0) return [`no field "${name}"${didYouMean(name, names, `, only ${shownOf(names)}`)}`];
    const known = fields.map(({ type }) => membersOf[type]);
    const members = known.flatMap((each) => each ?? []);
    if (member === undefined || known.includes(undefined) || members.includes(member)) return [];
    return [`"${name}" has no "${member}"${didYouMean(member, members, `, only ${shownOf(new Set(members))}`)}`];
  });
  return [...new Set(told)];
}

/** The most names that are listed. */
const mostNames = 10;

function shownOf(names: ReadonlySet<string>): string {
  return `${[...names].slice(0, mostNames).join(', ')}${names.size > mostNames ? ', …' : ''}`;
}
