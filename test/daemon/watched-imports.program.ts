/** Runs `heronry` and writes a line to standard error for each package that it loads. */
import { registerHooks } from 'node:module';

const loaded = new Set<string>();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(resolved.url) ?? [];
    if (name !== undefined && !loaded.has(name)) {
      loaded.add(name);
      process.stderr.write(`loaded ${name}\n`);
    }
    return resolved;
  },
});
await import('../../src/cli/main.ts');
