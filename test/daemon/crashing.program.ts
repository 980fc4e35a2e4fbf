/** Runs `heronry` in a Node that throws where an address with the path `/crash` is parsed, as a fault of the program would. */
const { parse } = URL;
URL.parse = (url, base) => {
  const parsed = parse(url, base);
  if (parsed?.pathname === '/crash') throw new Error('the engine broke');
  return parsed;
};
await import('../../src/cli/main.ts');
