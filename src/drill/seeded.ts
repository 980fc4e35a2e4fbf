/** Numbers in `[0, 1)` that look random and are the same for the same seed, which is a whole number from 1 to 2,147,483,646. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}
