/**
 * The meaning of an exit's failure: its cause, and the answer to the customer. An exit's own response is
 * never passed on: its 407 would make a customer doubt a password that is right.
 */

import { type ProxyCode, socksReplies } from '#contract/gateway/refusals'
import { findPreset, type Meaning } from '#exits/presets'
import type { FeedExit } from '#feed'
import type { Field, ResponseHead } from '../http/head.ts'
import { ProxyRefusal, refusalParts, type RefusalParts } from '../responses/refusal.ts'

/**
 * `target`: another exit would fail as well. `exit`: counts against this exit. `unsuited`: this exit works,
 * but not for this request. `unclear`: either the target or the exit; when another exit reaches the same
 * target, the exit.
 */
export type Blame = 'target' | 'exit' | 'unsuited' | 'unclear'

/** The failure of one exit, with the response when no other exit is left. */
export class ExitFailure extends ProxyRefusal {
  readonly blame: Blame
  /** A retry soon will not help: refused credentials, an exhausted balance. */
  readonly lasting: boolean
  constructor(parts: RefusalParts, blame: Blame, lasting = false) {
    super(parts)
    this.blame = blame
    this.lasting = lasting
  }

  /** The code and the exit's word, for the operator. */
  get what(): string {
    const { code, exit } = this.parts
    return exit?.word == null ? code : `${code} ${exit.word}`
  }
}

/** An exit's answer: the HTTP status if there was one, and a protocol token that explains it. */
export interface ExitReply {
  status: number | null
  word: string | null
}

interface Meant {
  code: ProxyCode
  sentence: string
  blame: Blame
  lasting?: true
}

const MEANINGS: Record<Meaning | 'unclear', Meant> = {
  credentials: {
    code: 'exit_refused',
    sentence: 'the exit refused this gateway; the operator has to mend that, not you',
    blame: 'exit',
    lasting: true,
  },
  exhausted: {
    code: 'exit_exhausted',
    sentence: 'the exit has no traffic left for this gateway; yours is untouched',
    blame: 'exit',
    lasting: true,
  },
  busy: {
    code: 'exit_busy',
    sentence: 'the exit takes no more connections at present',
    blame: 'unsuited',
  },
  no_address: {
    code: 'no_address',
    sentence: 'the exit has no address for this targeting at present',
    blame: 'unsuited',
  },
  forbidden: {
    code: 'target_refused_by_exit',
    sentence: 'the exit does not serve this host or port',
    blame: 'unsuited',
  },
  settings: {
    code: 'exit_misunderstood',
    sentence: 'the exit did not understand the settings of this line',
    blame: 'unsuited',
  },
  target: { code: 'target_unreachable', sentence: 'the exit could not reach the target', blame: 'target' },
  failed: { code: 'exit_failed', sentence: 'the exit failed', blame: 'exit' },
  unclear: {
    code: 'exit_or_target_failed',
    sentence: 'the exit could not connect to the target',
    blame: 'unclear',
  },
}

/** Parts of the answer that are more exact than those of the meaning. */
type Detail = Partial<Pick<RefusalParts, 'code' | 'sentence' | 'status' | 'error' | 'reply'>>

/** The failure with this meaning; `detail` replaces parts of the answer. */
export function exitFailure(meaning: Meaning | 'unclear', exit: ExitReply, detail: Detail = {}): ExitFailure {
  const { blame, lasting, ...meant } = MEANINGS[meaning]
  const { code, sentence, ...changed } = { ...meant, ...detail }
  return new ExitFailure(refusalParts(code, sentence, { ...changed, exit }), blame, lasting)
}

const UNREACHABLE = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EACCES',
  'EPERM',
])

const targetFailure = (...parts: Parameters<typeof refusalParts>) =>
  new ExitFailure(refusalParts(...parts), 'target')

/** The failure of a direct connection to the target, by the system's error code. */
export function connectFailure(code: string): ExitFailure {
  if (code === 'ECONNREFUSED') {
    return targetFailure('connection_refused', 'the target refused the connection')
  }
  if (code === 'ETIMEDOUT') {
    return targetFailure('connection_timeout', 'the target did not answer in time')
  }
  if (!UNREACHABLE.has(code)) {
    return targetFailure('connection_failed', 'the connection to the target failed')
  }
  const parts = refusalParts('target_unreachable', 'the target cannot be reached from this exit', {
    error: 'destination_ip_unroutable',
    ...(code === 'ENETUNREACH' ? { reply: socksReplies.networkUnreachable } : {}),
  })
  // An exit whose own address does not exist on this machine has failed itself.
  return new ExitFailure(parts, code === 'EADDRNOTAVAIL' ? 'exit' : 'unsuited')
}

/** Header fields in which proxies explain an error, the most specific first. */
const EXPLAINING = [
  'x-soax-error',
  'x-brd-err-code',
  'x-luminati-error-code',
  'x-thor-error-code',
  'x-squid-error',
  'x-brd-err-msg',
  'x-brd-error',
  'x-luminati-error',
  'x-thor-error-msg',
  'x-thor-error',
  'x-error-description',
  'x-soax-detail',
  'proxy-status',
]

/** Error types of RFC 9209, and their meaning when an exit sends them. */
const STATUS_TYPES: Readonly<Record<string, Meaning>> = {
  dns_timeout: 'target',
  dns_error: 'target',
  destination_not_found: 'target',
  destination_unavailable: 'target',
  destination_ip_unroutable: 'target',
  connection_refused: 'target',
  connection_terminated: 'target',
  connection_timeout: 'target',
  connection_read_timeout: 'target',
  connection_write_timeout: 'target',
  destination_ip_prohibited: 'forbidden',
  http_request_denied: 'forbidden',
  connection_limit_reached: 'busy',
  proxy_internal_error: 'failed',
  proxy_configuration_error: 'failed',
}

/** The target answered with a refusal of the connection. */
const REFUSED = {
  code: 'connection_refused',
  sentence: 'the target refused the connection of the exit',
} as const

const SQUID: Readonly<Record<string, Meaning>> = {
  ERR_CONNECT_FAIL: 'target',
  ERR_DNS_FAIL: 'target',
  ERR_LIFETIME_EXP: 'target',
  ERR_READ_TIMEOUT: 'target',
  ERR_CANNOT_FORWARD: 'failed',
  ERR_ACCESS_DENIED: 'forbidden',
  ERR_CACHE_ACCESS_DENIED: 'credentials',
}

/**
 * The meaning of a status without further explanation. 590 to 599 are those of the npm package proxy-chain.
 */
const STATUSES: Readonly<Record<number, Meaning>> = {
  401: 'credentials',
  402: 'exhausted',
  403: 'forbidden',
  407: 'credentials',
  429: 'busy',
  451: 'forbidden',
  590: 'failed',
  592: 'failed',
  593: 'target',
  594: 'target',
  595: 'target',
  596: 'target',
  597: 'failed',
}
const TIMEOUTS = new Set([408, 504, 522, 524])

/** Only protocol tokens are passed on: free text may contain the operator's account. */
const RUN = /[A-Za-z0-9]+(?:[_.][A-Za-z0-9]+)*/g

/** The first token with a part behind `_` or `.`. Each run of characters is read once: an exit may say much. */
function wordIn(text: string): string | null {
  for (const [run] of text.matchAll(RUN)) {
    const word = run.slice(Math.max(run.search(/[A-Za-z]/), 0))
    if (/^[A-Za-z].*[_.]/.test(word)) return word
  }
  return null
}

/** The token, unless it is part of the operator's credentials at the exit. */
function withoutSecrets({ username, password }: FeedExit, word: string | null): string | null {
  const isSecret = word !== null && `${username ?? ''}\n${password ?? ''}`.includes(word)
  return isSecret ? null : word
}

const textOf = (fields: readonly Field[], key: string) =>
  fields
    .filter((field) => field.key === key)
    .map((field) => field.value)
    .join(' ')

/** The meaning of the response of an HTTP proxy that opened no tunnel. */
export function responseFailure(
  exit: FeedExit,
  head: Pick<ResponseHead, 'status' | 'reason' | 'fields'>,
): ExitFailure {
  const { status, reason, fields } = head
  const explained = [reason, ...EXPLAINING.map((key) => textOf(fields, key))].filter((text) => text !== '')
  const text = explained.join('\n')
  const word = withoutSecrets(exit, wordIn(explained.slice(1).join('\n')) ?? wordIn(reason))
  const rules = exit.preset === null ? [] : (findPreset(exit.preset)?.errors ?? [])
  for (const rule of rules) {
    if (rule.status !== undefined && rule.status !== status) continue
    if (rule.word === undefined) return exitFailure(rule.means, { status, word })
    const found = new RegExp(rule.word, 'i').exec(text)?.[0]
    if (found !== undefined)
      return exitFailure(rule.means, { status, word: word ?? withoutSecrets(exit, found) })
  }
  const type = /(?:^|;)\s*error=([a-z_]+)/.exec(textOf(fields, 'proxy-status'))?.[1] ?? ''
  const squid = /^[A-Z_]+/.exec(textOf(fields, 'x-squid-error'))?.[0] ?? ''
  const meaning = STATUS_TYPES[type] ?? SQUID[squid] ?? STATUSES[status]
  // Squid adds the system's error number: 111 is a refused connection.
  const isRefused =
    type === 'connection_refused' || /^ERR_CONNECT_FAIL 111\b/.test(textOf(fields, 'x-squid-error'))
  if (isRefused) return exitFailure('target', { status, word }, REFUSED)
  if (meaning !== undefined) return exitFailure(meaning, { status, word })
  const late = TIMEOUTS.has(status)
  return exitFailure('unclear', { status, word }, late ? { status: 504, error: 'connection_timeout' } : {})
}

const SOCKS_WORDS: Readonly<Record<number, string>> = {
  1: 'general_failure',
  2: 'not_allowed',
  3: 'network_unreachable',
  4: 'host_unreachable',
  5: 'connection_refused',
  6: 'ttl_expired',
  7: 'command_not_supported',
  8: 'address_type_not_supported',
}

/** The meaning of a SOCKS5 reply other than "succeeded" (RFC 1928 section 6). */
export function replyFailure(reply: number): ExitFailure {
  const answered = { status: null, word: SOCKS_WORDS[reply] ?? `reply.${reply}` }
  if (reply === 2) return exitFailure('forbidden', answered)
  if (reply >= 3 && reply <= 6) {
    return exitFailure('target', answered, {
      reply,
      ...(reply === 5 ? REFUSED : {}),
      ...(reply === 6 ? { status: 504, error: 'connection_timeout' } : {}),
    })
  }
  if (reply === 7 || reply === 8) return exitFailure('settings', answered)
  return exitFailure('unclear', answered)
}
