/** The command-line options that describe an exit. */
import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ExitChange, readPlaces } from '#exits'
import { findPreset } from '#exits/presets'
import { CommandFault, wholeArgument } from '../terminal/command.ts'

export interface ExitOptions {
  bind?: string
  http?: Address | true
  socks5?: Address | true
  preset?: string
  username?: string
  password?: string
  passwordStdin?: boolean
  option?: Record<string, string>
  tls?: boolean
  tlsCa?: string
  weight?: number
  maxConnections?: number | 'none'
  names?: 'auto' | 'exit' | 'gateway'
  plainHttp?: 'tunnel' | 'forward'
  probe?: string
  warm?: number
  everywhere?: boolean
  countries?: string[]
  places?: string
  json?: boolean
}

export interface Address {
  host: string
  port: number
}

/** host:port, an IPv6 address in brackets. */
function addressArgument(text: string): Address {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain
  if (host === undefined || Number(port) < 1 || Number(port) > 65535)
    throw new InvalidArgumentError('It is host:port, an IPv6 address in brackets.')
  return { host, port: Number(port) }
}

function countriesArgument(text: string): string[] {
  const codes = text.toLowerCase().split(',')
  if (!codes.every((code) => /^[a-z]{2}$/.test(code)))
    throw new InvalidArgumentError('They are codes of two letters, joined with commas: us,de.')
  return codes
}

function optionArgument(text: string, known: Record<string, string> = {}): Record<string, string> {
  const [, key, value] = /^([a-z0-9]+)=(.*)$/.exec(text) ?? []
  if (key === undefined || value === undefined) throw new InvalidArgumentError('It is key=value.')
  return { ...known, [key]: value }
}

/** Commander uses null for an option without a value, so “no limit” needs a word of its own. */
const noneOr =
  <T>(read: (text: string) => T) =>
  (text: string): T | 'none' =>
    text === 'none' ? text : read(text)

function probeArgument(text: string): string {
  const { host, port } = addressArgument(text)
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Adds the options that `add` and `set` have in common. */
export function exitOptions(command: Command): Command {
  const most = wholeArgument({ min: 1, max: 1_000_000 })
  return command
    .option('--bind <address>', 'a direct exit leaves from this address of the machine; "none": any')
    .addOption(
      new Option('--http [host:port]', 'an HTTP proxy; the preset’s own address without one').argParser(
        addressArgument,
      ),
    )
    .addOption(
      new Option('--socks5 [host:port]', 'a SOCKS5 proxy; the preset’s own address without one').argParser(
        addressArgument,
      ),
    )
    .option(
      '--preset <name>',
      'the seller whose logins it takes: see `turnpike exits presets`; "none": no seller',
    )
    .option('--username <name>', 'the user name at the exit, without settings behind it; "none": no login')
    .option('--password <password>', 'its password; others on this machine may see it while the command runs')
    .option('--password-stdin', 'read the password from the standard input instead')
    .option('--option <key=value>', 'a setting of the seller’s own; once for each', optionArgument)
    .option('--tls', 'speak to the proxy itself over TLS')
    .option('--no-tls', 'speak to it without TLS')
    .option('--tls-ca <file>', 'the authority that vouches for it, as PEM; "none": those of the system')
    .option(
      '--weight <number>',
      'its share of the traffic, beside those of the others',
      wholeArgument({ min: 1, max: 1_000_000 }),
    )
    .option(
      '--max-connections <number>',
      'at once, on every machine with gateways; "none": no limit',
      noneOr(most),
    )
    .addOption(
      new Option(
        '--names <who>',
        'who looks up names; auto: the exit, unless it stands in a private network',
      ).choices(['auto', 'exit', 'gateway']),
    )
    .addOption(
      new Option(
        '--plain-http <how>',
        'requests to http:// addresses: through a tunnel, or forwarded',
      ).choices(['tunnel', 'forward']),
    )
    .option(
      '--probe <host:port>',
      'health checks open a tunnel to this; "none": they stop at the exit',
      noneOr(probeArgument),
    )
    .option(
      '--warm <number>',
      'connections to it that every gateway worker keeps open ahead of customers; 0: none',
      wholeArgument({ min: 0, max: 32 }),
    )
    .option('--everywhere', 'it serves every place that its preset can name')
    .addOption(
      new Option('--countries <codes>', 'it leaves from these: us,de')
        .argParser(countriesArgument)
        .conflicts(['everywhere', 'places']),
    )
    .addOption(
      new Option(
        '--places <csv>',
        'it leaves from the places in this file: country,state,city,zip,asn',
      ).conflicts('everywhere'),
    )
}

/** The text of a file; refuses one that cannot be read. */
export function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandFault(`${file} cannot be read: ${(error as Error).message}.`, { cause: error })
  }
}

const orNone = (text: string | undefined): string | null | undefined => (text === 'none' ? null : text)

/** The places given by the options; undefined: none. */
export function placesOf(options: ExitOptions): ExitChange['places'] {
  if (options.everywhere === true) return null
  if (options.countries !== undefined)
    return options.countries.map((country) => ({ country, state: null, city: null, zip: null, asn: null }))
  return options.places === undefined ? undefined : readPlaces(readFile(options.places))
}

/** The address of the proxy: the given one, or that of its preset. */
export function addressOf(options: ExitOptions): ({ kind: 'http' | 'socks5' } & Address) | undefined {
  const { http, socks5, preset } = options
  const kind = http === undefined ? 'socks5' : 'http'
  const given = http ?? socks5
  if (given === undefined) return undefined
  if (given !== true) return { kind, ...given }
  const known = preset === undefined ? undefined : findPreset(preset)
  const own = known?.[kind] ?? null
  if (own === null) throw new CommandFault(`The address is missing: write --${kind} host:port.`)
  return { kind, ...own }
}

/** The options as a change of an exit. */
export function changeOf(options: ExitOptions): ExitChange {
  const { option, tls, weight, maxConnections, names, plainHttp, probe, warm, passwordStdin } = options
  const places = placesOf(options)
  const password = passwordStdin === true ? readFileSync(0, 'utf8').replace(/\r?\n$/, '') : options.password
  const ca = orNone(options.tlsCa)
  const all = {
    bindAddress: orNone(options.bind),
    preset: orNone(options.preset),
    username: orNone(options.username),
    password,
    options: option,
    tls,
    tlsCa: typeof ca === 'string' ? readFile(ca) : ca,
    weight,
    maxConnections: maxConnections === 'none' ? null : maxConnections,
    names,
    plainHttp,
    probeTarget: orNone(probe),
    warmConnections: warm,
    places,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as ExitChange
}
