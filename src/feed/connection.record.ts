/**
 * The record of a tunnel or request on its way to the server: a line of text, because there is one for every
 * connection and JSON of as many objects would cost the gateway more than the rest of the record. Fields are
 * separated by tabs, in the order below; an empty one is null. A later release may add fields at the end,
 * which are ignored.
 */
import { TextBuffer } from '#lib/text.buffer'
import type { RequestRecord } from './feed.ts'

/** A record with its account, its client and the addresses of the target's connection. */
export interface ConnectionRecord extends RequestRecord {
  /** Null: not known to the gateway. */
  account: bigint | null
  pool: string
  /** The client's address and port. */
  client: string | null
  client_port: number | null
  /** The address of the target that was connected to; null: not known, or the customer wants none kept. */
  target_address: string | null
  /** The exit's own address on the connection to the target; null: only the exit knows it. */
  exit_address: string | null
  exit_port: number | null
}

type Bytes = 'up_bytes' | 'down_bytes' | 'charged_up_bytes' | 'charged_down_bytes'

/**
 * A record to print. The gateway counts bytes in numbers, which are exact up to 2^53 and print in a third of
 * the time.
 */
export type PrintableConnection = Omit<ConnectionRecord, Bytes> & Record<Bytes, bigint | number>

/**
 * Which addresses of a connection are kept, in records and in the log. `full`: host and port of the target,
 * address and port of the client. `host`: the target's host alone. `none`: none of these.
 */
export type ConnectionLog = 'full' | 'host' | 'none'

/**
 * Printed in place of the target when the customer wants no hosts kept; no host name or address contains
 * these characters.
 */
export const withheldHost = '(withheld)'

/** The number of fields in the first release: its gateways send no more. */
const FIELDS = 28
const LONGEST_MS = 2 ** 31 - 1

/** Anything that could end a field or a line, or that no terminal should print. */
const unprintable = /[^\x20-\x7e]/g
/** Tests a whole text, which is faster than a replacement that finds nothing. */
const PRINTABLE = /^[\x20-\x7e]*$/
const TAB = Buffer.from('\t')

/**
 * Writes the line of one record, without its LF. Numbers that are not whole are printed too:
 * `parseConnection` refuses them.
 */
export function writeConnection(line: TextBuffer, one: PrintableConnection): void {
  writePrintable(line, one.id)
  writeWhole(line, one.account)
  writeWhole(line, one.access)
  writeText(line, one.pool)
  writeWhole(line, one.at_ms)
  writeWhole(line, Math.min(one.ended_ms, LONGEST_MS))
  writeWhole(line, one.exit)
  writeText(line, one.client)
  writeWhole(line, one.client_port)
  writeText(line, one.protocol)
  writeText(line, one.target)
  writeText(line, one.settings)
  writeWhole(line, one.multiplier)
  writeText(line, one.country)
  writeWhole(line, one.authenticated_ms)
  writeWhole(line, one.exit_chosen_ms)
  writeWhole(line, one.connected_ms)
  writeWhole(line, one.first_byte_ms)
  writeText(line, one.outcome)
  writeWhole(line, one.status)
  writeText(line, one.code)
  writeText(line, one.sentence)
  writeWhole(line, one.exit_status)
  writeText(line, one.exit_word)
  writeWhole(line, one.up_bytes)
  writeWhole(line, one.down_bytes)
  writeWhole(line, one.charged_up_bytes)
  writeWhole(line, one.charged_down_bytes)
  writeText(line, one.target_address)
  writeText(line, one.exit_address)
  writeWhole(line, one.exit_port)
}

function writeText(line: TextBuffer, text: string | null): void {
  line.bytes(TAB)
  if (text !== null) writePrintable(line, text)
}

function writePrintable(line: TextBuffer, text: string): void {
  line.ascii(PRINTABLE.test(text) ? text : text.replace(unprintable, '?'))
}

function writeWhole(line: TextBuffer, value: bigint | number | null): void {
  line.bytes(TAB)
  if (value === null) return
  if (typeof value === 'number' && Number.isSafeInteger(value)) line.number(value)
  else line.ascii(value.toString())
}

/** The line of one record. */
export function printConnection(one: PrintableConnection): string {
  const line = new TextBuffer(512)
  writeConnection(line, one)
  return line.take()
}

/** A line that no gateway of this program wrote. */
export class MalformedRecord extends Error {}

const digits = /^\d{1,18}$/

function whole(text: string | undefined, most = Number.MAX_SAFE_INTEGER): number {
  const value = text !== undefined && digits.test(text) ? Number(text) : -1
  if (value < 0 || value > most)
    throw new MalformedRecord('a number of a record is none, or out of its range')
  return value
}

function big(text: string | undefined): bigint {
  if (text === undefined || !/^\d{1,19}$/.test(text))
    throw new MalformedRecord('a number of a record is none')
  const value = BigInt(text)
  if (value !== BigInt.asIntN(64, value))
    throw new MalformedRecord('a number of a record is out of its range')
  return value
}

/** More than a connection can relay: the sums of a batch of such records are below 2^63. */
const MOST_BYTES = 2n ** 50n

function bytes(text: string | undefined): bigint {
  const value = big(text)
  if (value > MOST_BYTES) throw new MalformedRecord('a record has more bytes than a connection can relay')
  return value
}

const ms = (text: string | undefined) => (text === '' ? null : whole(text, LONGEST_MS))
const orNull = (text: string | undefined) => (text === undefined || text === '' ? null : text)

function known(text: string | undefined): string {
  if (text === undefined || text === '') throw new MalformedRecord('a record lacks a part')
  return text
}

function protocolOf(text: string | undefined): RequestRecord['protocol'] {
  if (text === 'http' || text === 'connect' || text === 'socks5') return text
  throw new MalformedRecord('a record has an unknown protocol')
}

/** Throws `MalformedRecord` for a line that `printConnection` does not print. */
export function parseConnection(line: string): ConnectionRecord {
  if (/[^\t\x20-\x7e]/.test(line)) throw new MalformedRecord('a record is no line of text')
  const at = line.split('\t')
  if (at.length < FIELDS) throw new MalformedRecord('a record has too few fields')
  const id = known(at[0])
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw new MalformedRecord('a record has no id')
  return {
    id,
    account: at[1] === '' ? null : big(at[1]),
    access: big(at[2]),
    pool: known(at[3]),
    at_ms: whole(at[4]),
    ended_ms: whole(at[5], LONGEST_MS),
    exit: at[6] === '' ? null : big(at[6]),
    client: orNull(at[7]),
    client_port: at[8] === '' ? null : whole(at[8], 65_535),
    protocol: protocolOf(at[9]),
    target: orNull(at[10]),
    settings: orNull(at[11]),
    multiplier: whole(at[12], 100),
    country: orNull(at[13]),
    authenticated_ms: ms(at[14]),
    exit_chosen_ms: ms(at[15]),
    connected_ms: ms(at[16]),
    first_byte_ms: ms(at[17]),
    outcome: known(at[18]),
    status: ms(at[19]),
    code: orNull(at[20]),
    sentence: orNull(at[21]),
    exit_status: ms(at[22]),
    exit_word: orNull(at[23]),
    up_bytes: bytes(at[24]),
    down_bytes: bytes(at[25]),
    charged_up_bytes: bytes(at[26]),
    charged_down_bytes: bytes(at[27]),
    target_address: orNull(at[28]),
    exit_address: orNull(at[29]),
    exit_port: at[30] === undefined || at[30] === '' ? null : whole(at[30], 65_535),
  }
}
