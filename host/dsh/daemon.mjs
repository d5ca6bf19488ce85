// The daemon, as a plug-in sees it: find it, ask it within a limit, have it started. Node's own modules only.
// host/opencode/shilu.js holds the part between the marks word for word, as one file is all that OpenCode takes.
// --- client: begin ---
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'

const STARTING_MS = 30_000 // a daemon that was asked for this recently is not asked for again
const YOUNG_MS = 5_000 // one that was asked for longer ago has much to read, and is not waited for
const POLL_MS = 15
const ANSWER_BYTES = 4_000_000

export function stateFolder(env = process.env) {
  if (env.SHILU_STATE_DIR) return env.SHILU_STATE_DIR
  const home = os.homedir()
  if (process.platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'shilu')
  if (process.platform === 'win32') return path.join(env.LOCALAPPDATA || path.join(home, 'AppData', 'Local'), 'shilu')
  return path.join(env.XDG_STATE_HOME || path.join(home, '.local', 'state'), 'shilu')
}

export function vaultOf(settings, env = process.env) {
  return env.SHILU_VAULT || env.UNIFIED_MEMORY_VAULT || settings.vaultPath || ''
}

/** What the running daemon wrote about itself; undefined where none runs. */
export function pointer(vault, state = stateFolder()) {
  try {
    const file = vault
      ? path.join(state, fs.readFileSync(path.join(vault, '.shilu', 'id'), 'utf8').trim(), 'daemon')
      : path.join(state, 'daemon')
    const rows = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => {
      const cut = line.indexOf(' ')
      return [line.slice(0, cut), line.slice(cut + 1)]
    })
    return Object.fromEntries(rows)
  } catch {
    return undefined
  }
}

/** The pointer's own token is for hooks alone; the full one stands where only this user reads. */
function tokenFor(route, found) {
  if (route.startsWith('/hook/') || route.startsWith('/shown/')) return found.token
  try { return fs.readFileSync(path.join(found.folder ?? '', 'token'), 'utf8').trim() } catch { return found.token }
}

/** One request: {status, headers, body}; rejects with an error whose `code` is TIMEOUT, ABORTED or a system's. */
export function request(found, method, route, value, { timeoutMs, signal, headers = {} }) {
  return new Promise((resolve, reject) => {
    const body = value === undefined ? '' : JSON.stringify(value)
    const where = found.socket && process.platform !== 'win32'
      ? { socketPath: found.socket }
      : { host: '127.0.0.1', port: Number(found.port) }
    const given = { host: '127.0.0.1', 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers }
    if (!where.socketPath) given.authorization = `Bearer ${tokenFor(route, found)}`
    const fail = (code, text) => {
      call.destroy()
      settle(() => reject(Object.assign(new Error(text), { code })))
    }
    const timer = setTimeout(() => fail('TIMEOUT', `no answer within ${timeoutMs} ms`), timeoutMs)
    const aborted = () => fail('ABORTED', 'the turn was aborted')
    let done = false
    const settle = (end) => {
      if (done) return
      done = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
      end()
    }
    const call = http.request({ ...where, method, path: route, headers: given, agent: false }, (answer) => {
      const parts = []
      let size = 0
      answer.on('data', (part) => {
        size += part.length
        if (size > ANSWER_BYTES) fail('TOO_LONG', 'the answer is too long')
        parts.push(part)
      })
      answer.on('end', () => settle(() => {
        let decoded
        try { decoded = JSON.parse(Buffer.concat(parts).toString('utf8')) } catch { decoded = undefined }
        resolve({ status: answer.statusCode, headers: answer.headers, body: decoded })
      }))
      answer.on('error', (error) => settle(() => reject(error)))
      answer.on('close', () => settle(() => reject(Object.assign(new Error('the daemon ended midway'), { code: 'ENDED' }))))
    })
    call.on('error', (error) => settle(() => reject(error)))
    if (signal?.aborted) return aborted()
    signal?.addEventListener('abort', aborted, { once: true })
    call.end(body)
  })
}

/** The file that says since when a daemon of this vault is asked for; named as the hook names it. */
function markerOf(vault, state) {
  if (!vault) return path.join(state, 'starting')
  const number = BigInt(`0x${Buffer.from(path.resolve(vault)).toString('hex')}`) % ((1n << 61n) - 1n)
  return path.join(state, `starting-${number.toString(16)}`)
}

/** Asks a daemon to start, at most once in half a minute, and waits for nothing: {mayCome()}. */
export function start(settings, env = process.env, state = stateFolder(env)) {
  const vault = vaultOf(settings, env)
  const marker = markerOf(vault, state)
  try {
    fs.mkdirSync(state, { recursive: true, mode: 0o700 })
    try {
      const there = fs.statSync(marker) // holds something once the start has failed
      const age = Math.abs(Date.now() - there.mtimeMs) // below nothing where the clock was set back
      if (age < STARTING_MS) return { mayCome: () => age < YOUNG_MS && !there.size }
      fs.rmSync(marker)
    } catch { /* no marker yet */ }
    fs.writeFileSync(marker, '', { flag: 'wx', mode: 0o600 })
    const given = ['-m', 'shilu_host.daemon', '--state', state, '--marker', marker, ...(vault ? ['--vault', path.resolve(vault)] : [])]
    const python = env.UNIFIED_MEMORY_PYTHON || settings.pythonPath || 'python3'
    const child = spawn(python, given, { detached: true, stdio: 'ignore', cwd: state, windowsHide: true })
    let failed = false
    child.on('error', () => {
      failed = true
      try { fs.writeFileSync(marker, 'failed\n') } catch { /* the next turn asks again */ }
    })
    child.on('exit', (code) => { failed = code !== 0 }) // one that ended well found another that had begun before it
    child.unref()
    return { mayCome: () => !failed }
  } catch (error) {
    return { mayCome: () => error.code === 'EEXIST' } // another client asked at the same moment
  }
}

/** Waits until a daemon that was asked for listens, as long as it may come: what it wrote about itself, or undefined. */
async function arrival(vault, state, asked, deadline, signal) {
  while (asked.mayCome() && Date.now() < deadline && !signal?.aborted) {
    const found = pointer(vault, state)
    if (found && await listens(found, deadline - Date.now(), signal)) return found
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return undefined
}

async function listens(found, timeoutMs, signal) {
  try {
    await request(found, 'GET', '/alive', undefined, { timeoutMs: Math.max(1, timeoutMs), signal })
    return true
  } catch {
    return false
  }
}

/** Asks for a turn's recall: {block, rules, notice, reason, shown()}; never rejects, `reason` tells what went wrong. */
export async function recall(harness, turn, settings, { timeoutMs, signal, env = process.env }) {
  const deadline = Date.now() + timeoutMs
  const vault = vaultOf(settings, env)
  const state = stateFolder(env)
  const there = pointer(vault, state)
  const answer = there ? await askedOnce(there, vault, harness, turn, settings, { deadline, signal, env }) : nothing('no daemon')
  if (answer.reason !== 'no daemon') return answer
  const found = await arrival(vault, state, start(settings, env, state), deadline, signal)
  if (found) return askedOnce(found, vault, harness, turn, settings, { deadline, signal, env })
  return signal?.aborted ? nothing('aborted', 'the turn was aborted') : answer
}

function nothing(reason, detail = '') {
  return { block: '', rules: '', notice: '', reason, detail, shown() {} }
}

async function askedOnce(found, vault, harness, turn, settings, { deadline, signal, env }) {
  const timeoutMs = Math.max(1, deadline - Date.now())
  const headers = { 'x-shilu-deadline-ms': String(timeoutMs) }
  if (vault) headers['x-shilu-vault'] = encodeURIComponent(path.resolve(vault))
  if (env.UNIFIED_MEMORY_RECALL) headers['x-shilu-env-unified-memory-recall'] = encodeURIComponent(env.UNIFIED_MEMORY_RECALL)
  try {
    const answer = await request(found, 'POST', `/hook/${harness}`, { ...turn, settings }, { timeoutMs, signal, headers })
    if (answer.status === 409) start(settings, env) // the configuration names another vault by now
    if (answer.status !== 200 || !answer.body) return nothing('core broken', `the daemon said ${answer.status}`)
    const ticket = answer.headers['x-shilu-ticket']
    const shown = () => {
      if (ticket) request(found, 'POST', `/shown/${ticket}`, {}, { timeoutMs: 5000 }).catch(() => {})
    }
    return { ...answer.body, shown }
  } catch (error) {
    if (error.code === 'TIMEOUT') return nothing('timeout', error.message)
    if (error.code === 'ABORTED') return nothing('aborted', error.message)
    if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') return nothing('no daemon', error.message)
    return nothing('ended', error.message)
  }
}

/** Calls a tool, starting the daemon where none runs and waiting for it: {text, isError}; never rejects. */
export async function callTool(name, given, settings, { timeoutMs, signal, env = process.env }) {
  const deadline = Date.now() + timeoutMs
  const vault = vaultOf(settings, env)
  const headers = vault ? { 'x-shilu-vault': encodeURIComponent(path.resolve(vault)) } : {}
  for (;;) {
    const left = deadline - Date.now()
    const found = pointer(vault, stateFolder(env))
    try {
      if (found && left > 0) {
        const answer = await request(found, 'POST', `/tool/${name}`, given, { timeoutMs: left, signal, headers })
        const text = answer.body?.text || answer.body?.error || `the daemon said ${answer.status}`
        return { text: String(text), isError: answer.status !== 200 }
      }
    } catch (error) {
      if (error.code === 'ABORTED') return { text: 'the call was aborted', isError: true }
      if (error.code === 'TIMEOUT') return { text: `the memory daemon did not answer within ${timeoutMs} ms`, isError: true }
    }
    if (left <= 0) return { text: `the memory daemon did not start within ${timeoutMs} ms; see: shilu daemon status`, isError: true }
    if (signal?.aborted) return { text: 'the call was aborted', isError: true }
    start(settings, env)
    await new Promise((resolve) => setTimeout(resolve, Math.min(100, left)))
  }
}
// --- client: end ---
