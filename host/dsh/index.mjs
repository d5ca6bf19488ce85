// Shilu for DSH: recall before each turn's first step, and six tools. Nothing here may take a turn down: DSH has no
// limit for hooks and a throw ends the turn, so that every wait is bounded and every error is caught.
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { callTool, recall, vaultOf } from './daemon.mjs'
import { statusRoute } from './status.mjs'

export const name = 'shilu'
export const inject = ['tools']

const TOOL_MS = 25_000
const LIMITS = { default: 1500, low: 100, high: 60_000 }
const KEYS = {
  recall: 'string', recallLimit: 'number', recallMaxChars: 'number', recallMinQueryChars: 'number',
  recallTimeoutMs: 'number', recallInstructions: 'boolean', vaultPath: 'string', pythonPath: 'string', corePath: 'string',
}

export function apply(ctx, config = {}) {
  const live = { settings: { ...config }, last: undefined, problems: [] }
  registerTools(ctx, live)
  whenThere(ctx, live, 'settings', (c) => followSettings(c, live, config))
  whenThere(ctx, live, 'webServer', (c) => c.webServer.register(statusRoute(live, vaultOf)))
  guarded(live, 'agent/pre-step', () => ctx.on('agent/pre-step', (payload, next) => preStep(live, payload, next)))
  guarded(live, 'session/event', () => ctx.on('session/event', (session, event) => compacted(live, session, event)))
}

/** The listener: whatever others decide stands; ours only adds messages before theirs, at the first step. */
export async function preStep(live, payload, next) {
  const decision = await next()
  try {
    const added = await recalled(live, payload, decision)
    return added.length ? { ...decision, messages: [...added, ...decision.messages] } : decision
  } catch (error) {
    live.last = { reason: 'core broken', detail: String(error?.message ?? error) }
    return decision
  }
}

async function recalled(live, { agent, messages, step, signal }, decision) {
  if (decision?.kind !== 'enter' || step !== 1 || !Array.isArray(decision.messages)) return []
  const newest = [...(messages ?? [])].reverse().find((message) => message?.role === 'user')
  if (!newest) return []
  const header = agent?.session?.header ?? {}
  const turn = {
    event: 'prompt',
    session: String(agent?.id ?? agent?.session?.id ?? ''),
    message: textOf(newest),
    source: newest.source?.kind ?? 'user',
    step,
    parentSession: header.parentSession ? String(header.parentSession) : header.origin === 'subagent' ? 'unknown' : '',
    delegationDepth: Number(header.delegationDepth ?? 0),
    frozen: Object.isFrozen(decision.messages),
  }
  const answer = await recall('dsh', turn, live.settings, { timeoutMs: timeoutOf(live.settings), signal })
  live.last = { reason: answer.reason, detail: answer.detail ?? '' }
  const texts = [[answer.rules, 'rules'], [answer.block, 'recall']].filter(([text]) => text)
  if (answer.notice) process.stderr.write(`${answer.notice}\n`)
  if (texts.length || answer.notice) answer.shown()
  return texts.map(([text]) => ({
    id: randomUUID(),
    role: 'user',
    content: [{ type: 'text', text }],
    source: { kind: 'plugin', plugin: name, form: 'recall' },
  }))
}

function textOf(message) {
  if (typeof message.content === 'string') return message.content
  return (message.content ?? []).filter((part) => part?.type === 'text').map((part) => part.text).join('\n')
}

/** The history was replaced by a summary: what was shown is gone from the model's sight. */
function compacted(live, session, event) {
  if (event?.type !== 'compaction/summary' || !session?.id) return
  const turn = { event: 'compact', session: String(session.id) }
  recall('dsh', turn, live.settings, { timeoutMs: timeoutOf(live.settings) }).catch(() => {})
}

export function timeoutOf(settings) {
  const asked = Number(settings.recallTimeoutMs ?? LIMITS.default)
  return Number.isFinite(asked) ? Math.min(Math.max(asked, LIMITS.low), LIMITS.high) : LIMITS.default
}

function registerTools(ctx, live) {
  const tools = JSON.parse(fs.readFileSync(new URL('./tools.json', import.meta.url), 'utf8'))
  for (const tool of tools) guarded(live, tool.name, () => ctx.tools.register(definition(tool, live)))
}

function definition(tool, live) {
  return {
    name: tool.name,
    description: tool.description,
    parameters: plainSchema(tool.inputSchema),
    output: {
      schema: { type: 'object', properties: { text: { type: 'string' }, isError: { type: 'boolean' } }, required: ['text', 'isError'], additionalProperties: false },
      render: (_given, value) => [{ type: 'text', text: value.text }],
    },
    timeoutMs: TOOL_MS + 1000,
    isConcurrencySafe: () => tool.annotations.readOnlyHint,
    execute: (given, exec) => {
      const named = tool.name === 'memory_submit' ? { agent: 'dsh', ...given } : { ...given }
      return callTool(tool.name, named, live.settings, { timeoutMs: TOOL_MS, signal: exec?.signal })
    },
  }
}

/** DSH takes a subset of JSON Schema; the daemon checks the rest. */
export function plainSchema(schema) {
  const kept = ['type', 'description', 'required', 'additionalProperties', 'default']
  const plain = Object.fromEntries(Object.entries(schema).filter(([key]) => kept.includes(key)))
  if (schema.properties) {
    plain.properties = Object.fromEntries(Object.entries(schema.properties).map(([key, value]) => [key, plainSchema(value)]))
  }
  return plain
}

/** The section `shilu` of the user's settings stands over the row's config; wrong values are the daemon's to clamp. */
function followSettings(ctx, live, config) {
  const scope = ctx.settings.register(name, schemaOf(KEYS), { base: config })
  live.settings = { ...config, ...scope.get() }
  scope.watch((value) => { live.settings = { ...config, ...(value ?? scope.get()) } })
}

/** What DSH needs of a schemastery schema, which a bundle without dependencies can't import. */
function schemaOf(keys) {
  const schema = (value) => Object.fromEntries(Object.entries(value ?? {}).filter(([key]) => key in keys))
  const fields = Object.keys(keys)
  const refs = Object.fromEntries(fields.map((key, index) => [index + 1, { type: keys[key], meta: {} }]))
  const dict = Object.fromEntries(fields.map((key, index) => [key, index + 1]))
  return Object.assign(schema, { type: 'object', dict: {}, meta: {}, toJSON: () => ({ uid: 0, refs: { 0: { type: 'object', meta: {}, dict }, ...refs } }) })
}

function whenThere(ctx, live, service, use) {
  guarded(live, service, () => ctx.inject([service], (c) => guarded(live, service, () => use(c))))
}

function guarded(live, what, action) {
  try {
    return action()
  } catch (error) {
    live.problems.push(`${what}: ${error?.message ?? error}`)
    process.stderr.write(`shilu: ${what}: ${error?.message ?? error}\n`)
  }
}
