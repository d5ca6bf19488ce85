// A host such as DSH is to a bundle: it freezes messages, and hands `next` to the listener.
const { apply } = await import(process.argv[3])
export const listeners = {}
export const tools = {}

const freeze = (value) => {
  if (value && typeof value === 'object') {
    Object.values(value).forEach(freeze)
    Object.freeze(value)
  }
  return value
}
const ctx = {
  on: (name, listener) => { listeners[name] = listener },
  inject: () => {},
  tools: { register: (tool) => { tools[tool.name] = tool } },
}
apply(ctx, JSON.parse(process.argv[2]))

export async function step(text, { session = 's', number = 1, header = {}, source = { kind: 'user' }, signal, frozen = false } = {}) {
  const message = freeze({ id: 'm', role: 'user', content: [{ type: 'text', text }], source })
  const own = { kind: 'enter', messages: frozen ? Object.freeze([message]) : [message], startsRequestSeries: true }
  const agent = { id: session, session: { id: session, header } }
  const payload = { agent, messages: [message], turn: 1, step: number, signal }
  const decision = await listeners['agent/pre-step'](payload, async () => own)
  return {
    texts: decision.messages.map((m) => m.content[0].text),
    sources: decision.messages.map((m) => m.source),
    same: decision === own,
    count: own.messages.length,
    kept: decision.startsRequestSeries,
  }
}
