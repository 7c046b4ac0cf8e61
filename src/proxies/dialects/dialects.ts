/**
 * Lines of other sellers, in which only host, login and password were changed. Pure: authentication, and the
 * lookup of named places, happen elsewhere.
 *
 * Our own grammar comes first: a line that it accepts is never parsed as anything else. Any other line is
 * parsed by the tables of all sellers. It is accepted when all tables that can parse it agree, and refused
 * otherwise: a setting that is unknown, unsupported or ambiguous is named, never left out.
 */
import { GrammarFault, hasOurKeys, maxUsernameBytes, parseUsername, printUsername } from '../grammar.ts'
import { type Reading, readSettings, type Settings, splitLogin } from './reading.ts'
import { type Seller, sellers } from './sellers.ts'
import { readWebshare } from './webshare.ts'

export type { PlaceName, Settings } from './reading.ts'
export { quote } from '../grammar.fault.ts'
export { fold } from './values.ts'

/**
 * The login of a line, and its settings or their fault, which must not be disclosed before the password is
 * verified.
 */
export interface Line {
  login: string
  read: Settings | GrammarFault
  /** True when the line was not written in our own grammar. */
  isForeign: boolean
}

interface Candidate {
  login: string
  reading: Reading
}

const inUsername = sellers.filter(({ stands }) => stands === 'username')
const inPassword = sellers.filter(({ stands }) => stands === 'password')

/** Parses a user name; null when it contains no valid login. */
export function readUsername(username: string): Line | null {
  const known = usernames.get(username)
  if (known !== undefined) return known
  try {
    const { login, targeting } = parseUsername(username)
    return { login, read: { targeting, places: [], pool: null }, isForeign: false }
  } catch (fault) {
    if (!(fault instanceof GrammarFault)) throw fault
    return remember(usernames, username, readForeign(username, fault))
  }
}

// Recently parsed lines of other sellers: a dozen tables take longer than our grammar, and customers repeat
// their lines.
const usernames = new Map<string, Line | null>()
const behindPasswords = new Map<string, Line | null>()
const mostRemembered = 2000
const longestRemembered = 400

function remember(lines: Map<string, Line | null>, name: string, line: Line | null): Line | null {
  if (name.length > longestRemembered) return line
  // A map keeps the order of insertion: the first is the oldest.
  if (lines.size >= mostRemembered) lines.delete(lines.keys().next().value ?? '')
  lines.set(name, line)
  return line
}

function readForeign(username: string, fault: GrammarFault): Line | null {
  const candidates = username.length > maxUsernameBytes ? [] : inUsername.flatMap(byTable(username))
  const positional = username.length > maxUsernameBytes ? null : readWebshare(username)
  if (positional !== null) candidates.push(positional)
  const [login = ''] = username.split('-')
  // A line with only our keys is one of ours: the fault by our grammar explains more than another seller's.
  const understood = hasOurKeys(username) ? Infinity : fault.understood
  const own = fault.key === 'login' ? [] : [{ login, reading: { fault: () => fault, understood } }]
  return decide([...own, ...candidates])
}

/**
 * Parses settings appended to the password; the user name is a login only then. Null when the user name
 * contains no login.
 */
export function readPasswordSettings(username: string, text: string): Line | null {
  const line = readUsername(username)
  if (line === null) return null
  const { login } = line
  if (username !== login) {
    const sentence =
      'Settings stand in the user name and behind the password: which of them count is not clear.'
    return { login, read: new GrammarFault({ key: 'password', value: '', sentence }), isForeign: true }
  }
  const name = `${login} ${text}`
  const known = behindPasswords.get(name)
  if (known !== undefined) return known
  const readings = inPassword.map((seller) => ({ login, reading: readSettings(seller, text) }))
  return remember(behindPasswords, name, decide(readings))
}

const byTable =
  (username: string) =>
  (seller: Seller): Candidate[] =>
    splitLogin(seller, username).map(({ login, rest }) => ({ login, reading: readSettings(seller, rest) }))

/** The one reading that all agree on; otherwise the fault of the reading that parsed most of it. */
function decide(candidates: readonly Candidate[]): Line | null {
  const agreed = new Map<string, Line>()
  for (const { login, reading } of candidates)
    if ('settings' in reading)
      agreed.set(nameOf(login, reading.settings), { login, read: reading.settings, isForeign: true })
  const [line, other] = agreed.values()
  if (line !== undefined && other !== undefined) {
    const sentence = `This may mean two things: ${[...agreed.keys()].slice(0, 2).join(' or ')}.`
    return { ...line, read: new GrammarFault({ key: 'username', value: '', sentence }) }
  }
  if (line !== undefined) return line
  let best: { login: string; fault: () => GrammarFault; understood: number } | null = null
  for (const { login, reading } of candidates)
    if ('fault' in reading && reading.understood > (best?.understood ?? -1)) best = { login, ...reading }
  return best === null ? null : { login: best.login, read: best.fault(), isForeign: true }
}

function nameOf(login: string, { targeting, places, pool }: Settings): string {
  const named = places.map(({ kind, word }) => `${kind} ${word}`)
  return [printUsername({ login, targeting }), ...named, ...(pool === null ? [] : [`pool ${pool}`])].join(
    ', ',
  )
}
