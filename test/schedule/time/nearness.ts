/** How near repeats are: the sum of 1/gap over neighbouring repeats of each page, gaps in places of the order. */
export function nearness(order: ArrayLike<number>): number {
  const last = new Map<number, number>();
  let sum = 0;
  for (let place = 0; place < order.length; place += 1) {
    const id = order[place] ?? 0;
    const before = last.get(id);
    if (before !== undefined) sum += 1 / (place - before);
    last.set(id, place);
  }
  return sum;
}
