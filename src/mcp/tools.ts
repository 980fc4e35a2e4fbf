import * as z from 'zod';
import type { MethodSpec } from '../control/methods/method.ts';
import { isMethod, methods, type Method } from '../control/methods.ts';
import { reaches, type Role } from '../schema/role.ts';

/** A tool as a client lists it. */
export interface ToolView {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  /** Hints for the client, which may ask a person before a call. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: boolean;
  };
}

/** A control method that a model may call. */
export interface Tool {
  readonly method: Method;
  readonly view: ToolView;
}

/** The highest role that a model may have: the daemon itself is left to people. */
export const maxRole: Role = 'operate';

/** Methods whose answers, or parameters, are of no use to a model, besides subscriptions and those of `export`. */
const leftOut: ReadonlySet<Method> = new Set([
  // Pages and files, as base64.
  'page.get',
  'source.peek',
  // A list of thousands of projects, which is a file of a person; one by one they can be changed all the same.
  'project.apply',
  // What a client needs before it calls anything else.
  'daemon.ping',
  'daemon.place',
  // What a person has saved and viewed.
  'view.list',
  'view.add',
  'view.delete',
  'viewing.get',
  'viewing.add',
]);

/** The verbs of methods that only add. Every other change may remove or replace something. */
const adding = new Set(['acknowledge', 'add', 'begin', 'rescrape', 'restore', 'retry', 'run', 'try']);

/** The verbs of methods that, called again, change nothing more. */
const repeatable = new Set([
  'acknowledge',
  'archive',
  'assign',
  'cancel',
  'delete',
  'pause',
  'resolve',
  'restore',
  'resume',
  'update',
]);

/** Returns the tools that a role reaches, by name, in the order of the table of methods. */
export function toolsFor(role: Role): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const [method, spec] of Object.entries<MethodSpec>(methods)) {
    if (!isTool(method, spec) || !reaches(role, spec.role)) continue;
    const view = viewOf(method, spec);
    tools.set(view.name, { method, view });
  }
  return tools;
}

function isTool(method: string, spec: MethodSpec): method is Method {
  if (!isMethod(method) || leftOut.has(method)) return false;
  return reaches(maxRole, spec.role) && spec.notifies === undefined && !method.startsWith('export.');
}

function viewOf(method: Method, spec: MethodSpec): ToolView {
  const schema = z.toJSONSchema(spec.params, { io: 'input', unrepresentable: 'any' });
  const { $schema: _, ...inputSchema }: typeof schema = JSON.parse(withToolNames(JSON.stringify(schema)));
  const verb = method.split('.')[1] ?? '';
  const isReading = spec.role === 'read';
  return {
    name: nameOf(method),
    description: withToolNames(spec.doc),
    inputSchema,
    annotations: {
      readOnlyHint: isReading,
      ...(!isReading && { destructiveHint: !adding.has(verb), idempotentHint: repeatable.has(verb) }),
      // A change may lead to requests or messages; what only looks asks nobody but the daemon.
      openWorldHint: !isReading,
    },
  };
}

/** Writes the names of methods in a text as those of tools, as which a model knows them. */
function withToolNames(text: string): string {
  return text.replace(/`(\w+\.\w+)`/g, (quoted, name: string) => (isMethod(name) ? `\`${nameOf(name)}\`` : quoted));
}

/** Returns the name of a method's tool: clients take letters, digits, `_` and `-` alone. */
function nameOf(method: Method): string {
  return method.replace('.', '_');
}
