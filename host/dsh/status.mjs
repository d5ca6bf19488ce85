// The status route in DSH's own web server. DSH's host and origin fence does not cover plug-in routes, so that this
// route checks by itself: loopback host, own origin, and the daemon's token.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { pointer, request, stateFolder } from './daemon.mjs'

const PATH = '/api/shilu/status'
const HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]'])

export function statusRoute(live, vaultOf) {
  return { kind: 'exact', path: PATH, handler: (req, res) => answer(live, vaultOf, req, res) }
}

async function answer(live, vaultOf, req, res) {
  const refused = refusal(req, vaultOf(live.settings))
  if (refused) return send(res, refused.status, { error: refused.reason })
  const own = { recall: live.settings.recall ?? 'auto', last: live.last ?? null, problems: live.problems }
  const found = pointer(vaultOf(live.settings))
  if (!found) return send(res, 200, { ok: false, daemon: 'none', plugin: own })
  try {
    const told = await request(found, 'GET', '/status', undefined, { timeoutMs: 5000 })
    send(res, 200, { ok: told.status === 200, daemon: told.body, plugin: own })
  } catch (error) {
    send(res, 200, { ok: false, daemon: String(error.code ?? error.message), plugin: own })
  }
}

export function refusal(req, vault) {
  if (!HOSTS.has(hostOf(req.headers.host ?? ''))) return { status: 421, reason: 'this host name is not served here' }
  const origin = req.headers.origin
  if (origin !== undefined && origin !== `http://${req.headers.host}`) return { status: 403, reason: 'this origin may not ask' }
  if (req.method !== 'GET') return { status: 405, reason: 'only GET is served here' }
  if (!isToken(req.headers.authorization ?? '', vault)) return { status: 401, reason: 'a bearer token is needed; see the file `token` in the state folder' }
  return undefined
}

function hostOf(host) {
  return host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : host.split(':')[0].toLowerCase()
}

/** Whether the header holds the daemon's full token, compared in constant time. */
function isToken(header, vault) {
  const given = Buffer.from(header.replace(/^Bearer /i, ''))
  try {
    const state = stateFolder()
    const identity = vault ? fs.readFileSync(path.join(vault, '.shilu', 'id'), 'utf8').trim() : idOfDefault(state)
    const token = Buffer.from(fs.readFileSync(path.join(state, identity, 'token'), 'utf8').trim())
    return given.length === token.length && crypto.timingSafeEqual(given, token)
  } catch {
    return false
  }
}

function idOfDefault(state) {
  const found = pointer('', state)
  return fs.readFileSync(path.join(found.vault, '.shilu', 'id'), 'utf8').trim()
}

function send(res, status, value) {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  res.end(JSON.stringify(value))
}
