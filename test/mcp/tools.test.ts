import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MethodSpec } from '../../src/control/methods/method.ts';
import { methods, type Method } from '../../src/control/methods.ts';
import { maxRole, toolsFor } from '../../src/mcp/tools.ts';
import { reaches, Role } from '../../src/schema/role.ts';
import { openModel } from './model.ts';

const table = Object.entries<MethodSpec>(methods);
const all = [...toolsFor(maxRole).values()];

/** The methods that no model has, whatever its role. */
const never: readonly RegExp[] = [
  /^token\./,
  /^export\./,
  /^event\.subscribe$/,
  /^daemon\.(backup|ping|place|shutdown)$/,
  /^settings\.set$/,
  /^(view|viewing)\./,
  /^(page\.get|source\.peek|project\.apply)$/,
];

describe('MCP tools', () => {
  for (const role of Role.options) {
    test(`a model of role ${role} has the methods that its role reaches, and no other can be called`, async (t) => {
      const called: Method[] = [];
      const model = openModel(t, { role, call: async (method) => ({ called: called.push(method) }) });
      for (const [method, spec] of table) {
        const name = method.replace('.', '_');
        const isWanted =
          reaches(role, spec.role) && spec.role !== 'admin' && !never.some((pattern) => pattern.test(method));
        assert.equal(toolsFor(role).has(name), isWanted, method);
        called.length = 0;
        const { error } = await model.ask('tools/call', { name, arguments: {} });
        assert.deepEqual([called, error?.code], isWanted ? [[method], undefined] : [[], -32602], method);
      }
    });
  }

  test('what the client lists is what the role has, and the tool that gives further parts', async (t) => {
    const { result } = await openModel(t, { role: 'read' }).ask('tools/list');
    const names = JSON.stringify(result).match(/"name":"[a-z]+_[A-Za-z]+"/g);
    assert.deepEqual(
      names,
      [...toolsFor('read').keys(), 'answer_part'].map((name) => `"name":"${name}"`),
    );
  });

  test('names are such as all clients take, and each is one of its own', () => {
    for (const { view } of all) assert.match(view.name, /^[A-Za-z0-9_-]{1,64}$/);
    assert.equal(new Set(all.map(({ method }) => method)).size, all.length);
    assert.ok(all.length > 50);
  });

  test('each says what it does by the names of tools, and takes an object', () => {
    for (const { view } of all) {
      assert.notEqual(view.description, '');
      assert.doesNotMatch(view.description, /`(?:project|source|target|ticket|metric)\.\w+`/);
      assert.partialDeepStrictEqual(view.inputSchema, { type: 'object', additionalProperties: false });
    }
  });

  test('each says what its parameters mean, also by the names of tools', () => {
    const told = JSON.stringify(toolsFor(maxRole).get('schedule_plan')?.view.inputSchema);
    assert.match(told, /"days":\{[^}]*"description":"The number of days to forecast\."/);
    for (const { view } of all)
      assert.doesNotMatch(JSON.stringify(view.inputSchema), /`(?:project|source|target|ticket|viewing)\.\w+`/);
  });

  test('what looks is marked as such, and of what changes only what adds is marked as harmless', () => {
    const hints = (name: string) => toolsFor(maxRole).get(name)?.view.annotations;
    assert.deepEqual(hints('project_records'), { readOnlyHint: true, openWorldHint: false });
    assert.deepEqual(hints('project_add'), {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    });
    assert.partialDeepStrictEqual(hints('project_delete'), { readOnlyHint: false, destructiveHint: true });
    for (const name of ['schedule_pause', 'schedule_resume', 'ticket_resolve', 'project_archive'])
      assert.equal(hints(name)?.idempotentHint, true, name);
    for (const { method, view } of all)
      assert.equal(view.annotations.readOnlyHint, methods[method].role === 'read', method);
  });
});
